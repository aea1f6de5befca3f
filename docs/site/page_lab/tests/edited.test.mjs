// A chapter's main.cu that was edited in the page: compiled with its chapter's files and the harness.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { CHAPTERS, ROOT } from '../../build/places.mjs';
import { createCompiler } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { load } from '../node_load.mjs';
import { executeStage, loadReady, readyPrograms } from '../ready.mjs';
import { inTurn } from './turn.mjs';

const compiler = createCompiler({ load });
const index = await readyPrograms({ load });
const OPTIONS = { n: 64, input: 'random', seed: 1, order: 'forward', device: 'h200', timeLimit: 60 };

/** The edited program. `change`: [what stands there once, what takes its place]. */
async function edited(id, [old, now]) {
    const { folder } = CHAPTERS.find((chapter) => chapter.id === id);
    const name = `${folder}/main.cu`;
    const before = fs.readFileSync(path.join(ROOT, name), 'utf8');
    assert.equal(before.split(old).length, 2, `"${old}" stands once in ${name}`);
    const { compile } = await compiler;
    const { program, said } = await compile({ name, text: before.replace(old, now), chapter: id });
    assert.ok(program, said);
    return program;
}

for (const { id } of inTurn(CHAPTERS, 2)) {
    test(`${id}, another word in its first comment: counts are those of the ready-made program`, async () => {
        const program = await edited(id, ['// You will learn:', '// You will soon learn:']);
        const ready = await loadReady(id, { load });
        const { stages } = index.find(({ name }) => name === id);
        assert.ok(stages.length > 3);
        for (const stage of stages) {
            const options = { ...OPTIONS, stage, mode: 'count' };
            const { counts } = await executeStage(program, options);
            assert.ok(counts.stages.length === 1, stage);
            assert.deepEqual(counts.stages, (await executeStage(ready, options)).counts.stages, stage);
        }
    });
}

test('chapter 1, `shared` without a barrier: a race, in the lines of both accesses', async () => {
    const barrier =
        '__syncthreads();  // loaded by other threads than will compare them\n    sort_shared(tile, n);';
    const program = await edited('ch01', [barrier, '\n    sort_shared(tile, n);']);
    const result = await executeStage(program, { ...OPTIONS, stage: 'shared', mode: 'faults' });
    assert.equal(result.code, 1);
    assert.match(result.faults[0].text, /race within a block in shared_kernel.*, on tile\[\d+\]/);
    const lines = program.sources['ch01_bubble/main.cu'].split('\n');
    const line = lines.findIndex((each) => each.includes('tile[i] = ordered_int(keys[i]);')) + 1;
    assert.match(result.faults[0].text, new RegExp(`main\\.cu:${line}\\b`));
});

test('chapter 3, one item too few: the verdict is that of the harness', async () => {
    const program = await edited('ch03', [
        'tree_sum(i < n ? items[i] : 0.0f);',
        'tree_sum(i + 1 < n ? items[i] : 0.0f);',
    ]);
    const wrong = /^expected \S+, got \S+: they differ by /;
    for (const mode of ['run', 'faults']) {
        const result = await executeStage(program, { ...OPTIONS, stage: 'sequential', mode });
        assert.equal(result.code, 1, mode);
        assert.match(result.wrong, wrong, mode);
        assert.equal((result.faults ?? []).length, 0, 'a wrong result is no fault');
    }
    const { counts } = await executeStage(program, { ...OPTIONS, stage: 'sequential', mode: 'count' });
    assert.match(counts.stages[0].message, wrong);
});

test("a program that includes more than the precompiled headers' compiler can hold", async () => {
    const more = ['regex', 'chrono', 'iomanip', 'sstream', 'queue', 'set', 'list', 'bitset', 'complex'];
    const text = `${more.map((name) => `#include <${name}>\n`).join('')}int main() { return 3; }\n`;
    const { compile } = await compiler;
    const { program, said } = await compile({ name: 'main.cu', text });
    assert.ok(program, said);
    assert.equal((await execute(program, {})).code, 3);
});
