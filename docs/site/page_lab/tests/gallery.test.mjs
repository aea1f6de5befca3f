// The fault gallery and the first kernel's mistakes, compiled and run as in a page: what is printed is the
// text that the native lab must print, which is next to each program.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../build/places.mjs';
import { createCompiler } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { buildLibraries } from '../libraries.mjs';
import { load } from '../node_load.mjs';
import { GALLERY as DIFFERENCES, NOT_RUN } from './differences.mjs';
import { CHANGED, inTurn } from './turn.mjs';

const FOLDERS = [
    'common/lab/fault_gallery',
    'common/lab/fault_gallery/more',
    'docs/first_kernel/mistakes',
].map((name) => path.join(ROOT, name));
const PARTS = 12;

const all = FOLDERS.flatMap((folder) =>
    fs
        .readdirSync(folder)
        .filter(
            (name) => name.endsWith('.cu') && fs.existsSync(path.join(folder, name.replace(/cu$/, 'txt'))),
        )
        .map((name) => path.join(folder, name)),
);
await buildLibraries(['emulator', 'lab']);
const compiler = await createCompiler({ load });

test('the gallery is there', () => assert.ok(all.length > 100, `${all.length} programs`));

const isChanged = (file) =>
    ['cu', 'txt'].some((end) => CHANGED.has(path.relative(ROOT, file).replace(/cu$/, end)));
for (const file of inTurn(all, PARTS, isChanged)) {
    if (NOT_RUN.has(path.basename(file, '.cu'))) continue;
    const name = path.basename(file);
    const reason = DIFFERENCES[path.basename(file, '.cu')];
    test(`gallery: ${name}${reason ? ` (differs: ${reason})` : ''}`, async () => {
        const text = fs.readFileSync(file, 'utf8');
        const wanted = fs.readFileSync(file.replace(/cu$/, 'txt'), 'utf8');
        const { program, said } = await compiler.compile({ name, text, mode: 'faults' });
        assert.ok(program, said);
        const timeLimit = /^no progress for 1 s |TIME_LIMIT, 1 s here/m.test(wanted) ? 1 : 10;
        let printed = '';
        const stdout = (part) => (printed += part);
        const { faultsText } = await execute(program, { mode: 'faults', timeLimit, stdout });
        if (reason) assert.notEqual(printed + faultsText, wanted, 'is the same now: take it off the list');
        else assert.equal(printed + faultsText, wanted);
    });
}
