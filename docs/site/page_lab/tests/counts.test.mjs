// For each stage of each chapter, the browser lab counts what ./tutorial explain counts: at two sizes, in
// three orders of the threads, one of the six each day.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CHAPTERS } from '../../build/places.mjs';
import { PROGRAMS, labFile } from '../../tests/programs.mjs';
import { execute } from '../execute.mjs';
import { loadReady } from '../ready.mjs';
import { COUNTED_LINES, COUNTS } from './differences.mjs';
import { CHANGED, inTurn } from './turn.mjs';

const SIZES = [64, 1000];
const WAYS = SIZES.flatMap((n) => ['forward', 'reverse', 'shuffle'].map((order) => [n, order]));
const call = promisify(execFile);

/** [line, ...] of a run: what must be equal. Steps are basic blocks, which differ because the compiler does. */
function linesOf({ stages }) {
    return stages.flatMap(({ stage, check, message, kernels = [] }) => [
        `${stage}: ${check} ${message}`,
        ...kernels.flatMap(({ kernel, rows, ...totals }) => {
            const named = `${stage}: ${kernel.replaceAll('> >', '>>')}`;
            const numbers = Object.entries(totals)
                .filter(([name]) => !(name in COUNTS))
                .map(([name, value]) => `${named}: ${name} ${JSON.stringify(value)}`);
            const table = rows
                .filter(({ source }) => !(source in COUNTED_LINES || `${stage}: ${source}` in COUNTED_LINES))
                .map((row) => `${named}: ${JSON.stringify(row)}`);
            return [...numbers, ...table];
        }),
    ]);
}

for (const { folder, id } of CHAPTERS) {
    const isChanged = CHANGED.has(`${folder}/main.cu`);
    for (const [n, order] of inTurn(WAYS, WAYS.length, () => isChanged)) {
        test(`counts of ${id}: n = ${n}, threads in ${order} order`, async () => {
            const args = ['--explain', '--json', '--n', String(n), '--order', order];
            // One worker, as in a browser: then blocks follow each other in one order.
            const env = { ...process.env, TUTORIAL_CPU_WORKERS: '1' };
            const native = call(path.join(PROGRAMS, `${folder}_lab`), args, { maxBuffer: 1 << 28, env });
            let printed = '';
            const stdout = (text) => (printed += text);
            const program = await loadReady(id, { load: async (name) => labFile(name) });
            const { code } = await execute(program, { args, stdout, stderr: stdout, timeLimit: 60 });
            assert.equal(code, 0, printed.slice(0, 2000));
            const wanted = linesOf(JSON.parse((await native).stdout));
            assert.ok(wanted.length > 20, 'the native lab counts nothing');
            assert.deepEqual(linesOf(JSON.parse(printed)), wanted);
        });
    }
}
