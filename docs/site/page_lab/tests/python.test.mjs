// The browser lab's Python, which starts from python.image, gives the same answers as this machine's Python.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { CHAPTERS, ROOT, SITE, textOf } from '../../build/places.mjs';
import { allExercises } from '../build_exercises.mjs';
import { labFile } from '../../tests/programs.mjs';
import { textsBelow } from '../node_files.mjs';
import { load } from '../node_load.mjs';
import { CHANGED, inTurn } from './turn.mjs';
import { attempter, translator } from '../translator.mjs';

// The published Pyodide is packed, which Node's loader does not know: here it is npm's, of the same version.
const LAB = `${fs.mkdtempSync(path.join(os.tmpdir(), 'page_python-'))}/`;
fs.symlinkSync(path.join(SITE, 'node_modules/pyodide'), path.join(LAB, 'pyodide'), 'dir');
after(() => fs.rmSync(LAB, { recursive: true }));
const files = { load: async (name) => labFile(name) };
const sourcesBelow = (folder) =>
    textsBelow(path.join(ROOT, folder), folder, (name) => /\.(cu|cuh|hpp)$/.test(name));

/** Without the parts that differ from run to run, or that come from a shell. */
const plain = (made) =>
    JSON.parse(JSON.stringify(made, (_, text) => text.trimEnd?.().replaceAll(/\/tmp\/\w+/g, '/tmp') ?? text));

const [native, inPage] = [await load('translate'), await translator(files, LAB)];

test('examples, faults and mistakes are translated as natively', async () => {
    let looked = 0;
    for (const folder of ['docs/examples', 'docs/first_kernel', 'common/lab/fault_gallery']) {
        const programs = Object.entries(sourcesBelow(folder)).filter(([name]) => /\.cu$/.test(name));
        for (const [name, text] of inTurn(programs, 24, ([name]) => CHANGED.has(name))) {
            assert.deepEqual(await inPage('main.cu', text), await native('main.cu', text), name);
            looked += 1;
        }
    }
    assert.ok(looked > 8, `${looked} programs`);
});

test('chapters are, with what they include', async () => {
    for (const { folder } of inTurn(CHAPTERS, 3, (chapter) => CHANGED.has(`${chapter.folder}/main.cu`))) {
        const name = `${folder}/main.cu`;
        const others = { ...sourcesBelow(folder), ...sourcesBelow('common/harness') };
        const [there, here] = [
            await inPage(name, textOf(name), others),
            await native(name, textOf(name), others),
        ];
        assert.deepEqual(there, here, name);
        assert.ok(here.text, name);
    }
});

test('what is refused is refused in the same words', async () => {
    for (const wrong of [
        'int main() { k<<<1>>>(; }',
        '__device__ void f() { __shared__ int x[3] = "abc"; }',
        '__global__ void k() { throw 1; }',
    ]) {
        const [there, here] = [await inPage('main.cu', wrong), await native('main.cu', wrong)];
        assert.deepEqual(plain(there), plain(here));
        assert.match(there.said, /error/);
    }
});

test('attempts at exercises: the stub, the solution, no file of ours, a forbidden call', async () => {
    const [attempt, natively] = [await attempter(files, LAB), await load('attempt')];
    for (const { id, name, folder, stub } of inTurn(allExercises(), 30)) {
        const solution = textOf(`${folder}/solutions/${name}.cu`);
        for (const text of [stub, solution, '', stub.replaceAll('{', '{ system("ls");')]) {
            const asked = [id, `${name}.cu`, text];
            assert.deepEqual(plain(await attempt(...asked)), plain(await natively(...asked)), id);
        }
    }
});
