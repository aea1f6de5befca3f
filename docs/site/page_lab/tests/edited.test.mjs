// A chapter's main.cu that was edited in the page: compiled with its chapter's files and the harness.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAPTERS, textOf } from '../../build/places.mjs';
import { ITEMS, LISTINGS } from '../../listings.mjs';
import { createCompiler } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { load } from '../node_load.mjs';
import { withOneStage } from '../one_stage.mjs';
import { executeStage, loadReady } from '../ready.mjs';
import { COUNTS } from './differences.mjs';
import { inTurn } from './turn.mjs';

const PARTS = 36;
const compiler = createCompiler({ load });
const index = JSON.parse(new TextDecoder().decode(await load('ready/index.json')));
const OPTIONS = { n: 64, input: 'random', seed: 1, order: 'forward', device: 'h200', timeLimit: 60 };

const sourceOf = (folder) => textOf(folder, 'main.cu');

/** The edited program. `change`: [a text that occurs once, its replacement]. */
async function edited(id, stage, [old, now]) {
    const { folder } = CHAPTERS.find((chapter) => chapter.id === id);
    const name = `${folder}/main.cu`;
    const before = sourceOf(folder);
    assert.equal(before.split(old).length, 2, `"${old}" stands once in ${name}`);
    const { compile } = await compiler;
    const { program, said } = await compile({ name, text: before.replace(old, now), chapter: id, stage });
    assert.ok(program, said);
    return program;
}

const all = CHAPTERS.flatMap(({ id, folder }) =>
    index.find(({ name }) => name === id).stages.map((stage) => ({ id, folder, stage })),
);

/** If launchers are templates: how many lines are about keys that only an option chooses. */
const TEMPLATES = { ch01: 1, ch05: 3, ch06: 1 };

test('of templates only the stage is compiled, for one type of keys, and lines keep their numbers', () => {
    assert.ok(all.length > 60);
    for (const { id, folder, stage } of all) {
        const text = sourceOf(folder);
        const before = text.split('\n');
        const after = withOneStage(text, stage).split('\n');
        if (!(id in TEMPLATES)) {
            assert.deepEqual(after, before, `${id} ${stage}`);
            continue;
        }
        assert.equal(after.length, before.length, `${id} ${stage}`);
        const rows = after.filter((line) => /^ *\{\{"/.test(line));
        assert.ok(rows.length === 1 && rows[0].includes(`{{"${stage}",`), `${id} ${stage}: ${rows}`);
        const changed = after.filter((line, i) => line.trim() && line !== before[i]);
        assert.equal(changed.length, TEMPLATES[id], `${id} ${stage}: ${changed}`);
    }
    const text = sourceOf('ch01_bubble');
    assert.equal(withOneStage(text, 'no_such_stage'), text);
});

/** What is counted, without numbers of basic blocks: where a caller is missing, clang inlines another function. */
const counted = ({ stages: [{ kernels, ...stage }] }) => ({
    ...stage,
    kernels: kernels.map((kernel) => Object.entries(kernel).filter(([name]) => !(name in COUNTS))),
});

for (const { id, stage } of inTurn(all, PARTS)) {
    test(`${id} ${stage}, another word in the first comment: counts are the ready-made program's`, async () => {
        const program = await edited(id, stage, ['// You will learn:', '// You will soon learn:']);
        const options = { ...OPTIONS, stage, mode: 'count' };
        const { counts } = await executeStage(program, options);
        assert.equal(counts.stages.length, 1);
        const ready = await executeStage(await loadReady(id, { load }), options);
        assert.deepEqual(counted(counts), counted(ready.counts));
    });
}

test('chapter 1, `shared` without a barrier: a race, in the lines of both accesses', async () => {
    const barrier = '__syncthreads();  // threads compare keys that others loaded\n    sort_shared(tile, n);';
    const program = await edited('ch01', 'shared', [barrier, '\n    sort_shared(tile, n);']);
    const result = await executeStage(program, { ...OPTIONS, stage: 'shared', mode: 'faults' });
    assert.equal(result.code, 1);
    assert.match(result.faults[0].text, /race within a block in shared_kernel.*, on tile\[\d+\]/);
    const lines = program.sources['ch01_bubble/main.cu'].split('\n');
    const line = lines.findIndex((each) => each.includes('tile[i] = ordered_int(keys[i]);')) + 1;
    assert.match(result.faults[0].text, new RegExp(`main\\.cu:${line}\\b`));
});

test('chapter 3, one item too few: the verdict is that of the harness', async () => {
    const program = await edited('ch03', 'sequential', [
        'tree_sum(i < n ? items[i] : 0.0f);',
        'tree_sum(i + 1 < n ? items[i] : 0.0f);',
    ]);
    const wrong = /^expected \S+, got \S+: they differ by /;
    for (const mode of ['run', 'faults']) {
        const result = await executeStage(program, { ...OPTIONS, stage: 'sequential', mode });
        assert.equal(result.code, 1, mode);
        assert.match(result.wrong, wrong, mode);
        assert.equal((result.faults ?? []).length, 0, 'a wrong result is not a fault');
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

const offered = Object.entries(LISTINGS).flatMap(([id, stages]) =>
    Object.entries(stages).flatMap(([stage, { n = ITEMS[id], change }]) =>
        change ? [{ id, stage, change, n: change.n ?? n }] : [],
    ),
);
assert.ok(offered.length > 20);

for (const { id, stage, change, n } of inTurn(offered, PARTS)) {
    const { line, to, shows = 'other costs' } = change;
    test(`what the book offers to change in ${id} ${stage} compiles, and shows ${shows}`, async () => {
        const program = await edited(id, stage, [line, to]);
        const options = { ...OPTIONS, n, stage };
        if (shows === 'fault') {
            const { faults } = await executeStage(program, { ...options, mode: 'faults' });
            assert.ok(faults.length > 0);
            return;
        }
        const { code, wrong } = await executeStage(program, { ...options, mode: 'run' });
        assert.deepEqual([code, wrong !== ''], shows === 'wrong' ? [1, true] : [0, false], wrong);
        if (shows === 'wrong') return;
        const costs = async (each) => {
            const { counts } = await executeStage(each, { ...options, mode: 'count' });
            return counts.stages[0].kernels.map(({ blocks, rows }) => [
                blocks,
                rows.map(({ requests, sectors, wavefronts }) => [requests, sectors, wavefronts]),
            ]);
        };
        assert.notDeepEqual(await costs(program), await costs(await loadReady(id, { load })));
    });
}
