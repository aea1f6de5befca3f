// Exercises, graded as in a page: the stub and each wrong answer of the notes must fail for the reason that
// the notes name, and the solution must pass.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../build/places.mjs';
import { allExercises, buildExercises } from '../build_exercises.mjs';
import { createCompiler } from '../chain.mjs';
import { judge, traceOf } from '../grading.mjs';
import { buildLibraries } from '../libraries.mjs';
import { load } from '../node_load.mjs';
import { inTurn } from './turn.mjs';

const PARTS = 30;
/** Tested each time. */
const ALWAYS = ['first/ex1'];

const wanted = (process.env.TUTORIAL_EXERCISES ?? '').split(' ').filter(Boolean);
const all = allExercises();
const names = new Map(all.map(({ id, name }) => [id, name]));
const chosen = wanted.length ? wanted : [...new Set([...ALWAYS, ...inTurn([...names.keys()], PARTS)])];
const grading = path.join(ROOT, 'common/grading');
const proofs = JSON.parse(execFileSync('python3', [grading, 'page', 'proofs'], { maxBuffer: 1 << 26 }));

await buildLibraries();
await buildExercises({ only: (id) => chosen.includes(id) });
const compiler = await createCompiler({ load });

async function graded(id, text) {
    const made = await compiler.compileAttempt({ id, name: `${names.get(id)}.cu`, text });
    return { made, verdict: await judge(made) };
}

test('all exercises are there', () => assert.equal(all.length, Object.keys(proofs).length));

for (const id of chosen) {
    for (const { title, text, fails, says } of proofs[id]) {
        test(`${id}: ${title}`, async () => {
            const { verdict } = await graded(id, text);
            assert.deepEqual([verdict.reason, verdict.text.includes(says)], [fails, true], verdict.text);
            assert.equal(verdict.status, verdict.reason ? 'not_solved' : 'solved');
        });
    }
}

test('a line of the learner keeps its number, and the attempt can be played', async () => {
    const text = proofs['first/ex1'].find(({ title }) => title === 'no guard').text;
    const { made, verdict } = await graded('first/ex1', text);
    assert.equal(verdict.file, 'ex1_map.cu');
    assert.match(text.split('\n')[verdict.line - 1], /to\[i\] = min/);
    assert.ok((await traceOf(made.program)).includes('brighter_kernel'));
});

test('what is no answer is refused in words', async () => {
    const [{ text: stub }] = proofs['first/ex1'];
    const refused = async (change) => (await graded('first/ex1', change(stub))).verdict;
    const line = '    (void)from, (void)to, (void)n, (void)amount;  // remove this line';
    const without = await refused((text) => text.replace('// END', ''));
    assert.equal(without.reason, 'unreadable');
    assert.match(without.text, /ex1_map\.cu: the marker '\/\/ END' below line \d+ is missing/);
    const assembly = await refused((text) => text.replace(line, '    asm("");'));
    assert.equal(assembly.reason, 'forbidden');
    const wrong = await refused((text) => text.replace(line, '    oops = 1;'));
    assert.equal(wrong.reason, 'compile');
    assert.match(wrong.text, /ex1_map\.cu:15:\d+: error: .*oops/);
    const outside = await refused((text) => text.replace('kThreads = 128', 'kThreads = 64'));
    assert.match(outside.outside, /^Line 11 is outside the blank/);
    assert.equal(outside.isBegun, false);
});
