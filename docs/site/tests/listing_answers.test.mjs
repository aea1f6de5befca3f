// What can be asked below a listing, without a browser: each number is counted, each missing barrier is found.
// A sixth of them each day, and those of a text that the last commits have changed.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { changeLink } from '../build/listings.mjs';
import { textOf } from '../build/places.mjs';
import { tables } from '../.vitepress/theme/lab/counts.mjs';
import { changed, unpacked } from '../.vitepress/theme/lab/saved.mjs';
import { workFrom } from '../.vitepress/theme/lab/schema.mjs';
import { judged } from '../.vitepress/theme/listing/prediction.mjs';
import { LISTINGS } from '../listings.mjs';
import { CHANGED, inTurn } from '../page_lab/tests/turn.mjs';
import { executeStage, loadReady } from '../page_lab/ready.mjs';
import { ALL } from './all_listings.mjs';
import { labFile } from './programs.mjs';

const PARTS = 6;
const isChanged = ({ text }) =>
    CHANGED.has(text) || CHANGED.has(path.posix.join(path.posix.dirname(text), 'main.cu'));

/** The ready-made programs of chapters, compiled once. */
const programs = new Map();
async function programOf(chapter) {
    const made = await loadReady(chapter, { load: async (name) => labFile(name) });
    return { ...made, wasm: await WebAssembly.compile(made.wasm) };
}

/** What a stage's ready-made program says. */
async function ran({ chapter, stage, n }, options) {
    if (!programs.has(chapter)) programs.set(chapter, programOf(chapter));
    const program = await programs.get(chapter);
    const order = 'forward';
    return executeStage(program, { stage, n, input: 'random', seed: 1, order, device: 'h200', ...options });
}

test('every stage has a listing that runs, and what is named for listings exists', () => {
    assert.ok(ALL.length > 100, `${ALL.length} listings`);
    for (const [chapter, stages] of Object.entries(LISTINGS)) {
        for (const [stage, { predict }] of Object.entries(stages)) {
            const found = ALL.filter((each) => each.chapter === chapter && each.stage === stage);
            assert.ok(found.length > 0, `${chapter}: ${stage}`);
            if (predict)
                assert.deepEqual(
                    found.map(({ unit }) => unit).filter(Boolean),
                    [predict.unit],
                    `${stage}: ${predict.line}`,
                );
        }
    }
});

test('every stage of a chapter has one number to predict, and something to break', () => {
    const core = ALL.filter(({ text }) => path.basename(text) === 'README.md');
    const stages = [...new Set(core.map(({ chapter, stage }) => `${chapter} ${stage}`))];
    assert.ok(stages.length >= 40, `${stages.length} stages`);
    for (const each of stages) {
        const found = core.filter(({ chapter, stage }) => each === `${chapter} ${stage}`);
        assert.equal(found.filter(({ unit }) => unit).length, 1, `${each}: a number`);
        assert.ok(
            found.some(({ barrier, change }) => barrier > 0 || change),
            `${each}: a break`,
        );
    }
});

test('a change that is offered below a listing is a link that the browser lab takes', async () => {
    const offered = ALL.filter(({ change }) => change);
    assert.ok(offered.length > 1);
    for (const each of offered) {
        const { value, unfit } = workFrom(await unpacked(changeLink(each).replace('#work=', '')));
        assert.deepEqual(unfit, []);
        assert.equal(value.stage, `${each.chapter}/${each.stage}`);
        const original = textOf(path.dirname(each.text), 'main.cu');
        const { line, to } = each.change;
        assert.equal(changed(original, value.change), original.replace(line, to));
    }
});

test('each barrier that can be left out is missed: Faults shows it, and nothing with the barrier', async () => {
    const silent = [];
    const tried = ALL.filter(({ barrier }) => barrier > 0);
    assert.ok(tried.length > 15, `${tried.length} breaks`);
    for (const each of inTurn(tried, PARTS, isChanged)) {
        const name = `${each.chapter} ${each.stage} ${each.file}:${each.barrier}`;
        const withoutBarrier = `${path.basename(each.file)}:${each.barrier}`;
        const broken = await ran(each, { mode: 'faults', withoutBarrier });
        if (broken.faults.length === 0) silent.push(name);
        const right = await ran(each, { mode: 'faults' });
        assert.deepEqual([right.faults, right.wrong, right.code], [[], '', 0], name);
    }
    assert.deepEqual(silent, []);
});

test('each number that is to be predicted is counted', async () => {
    const predicted = ALL.filter(({ unit }) => unit);
    assert.ok(predicted.length > 60, `${predicted.length} numbers`);
    for (const each of inTurn(predicted, PARTS, isChanged)) {
        const { counts } = await ran(each, { mode: 'count' });
        const file = path.basename(each.file);
        assert.ok(tables(counts).length > 0);
        const said = judged(counts, { ...each, file, guess: '' });
        assert.match(said, /: [\d.]+ each\.$|^(?:Line \d+|In all): [\d,]+ [a-z ]+\.$/, `${each.stage}`);
    }
});

test('a prediction is compared with what was counted', () => {
    const row = { file: 'main.cu', line: 7, space: 'shared', operation: 'load', source: '' };
    const shown = { ...row, requests: 4, lanes: 128, wavefronts: 19, least_wavefronts: 4 };
    const atomic = { ...row, line: 8, operation: 'atomic', requests: 4, lanes: 128, wavefronts: 4 };
    const elsewhere = { ...row, line: 9, space: 'global', requests: 6, lanes: 6, sectors: 6 };
    const kernel = {
        kernel: 'k',
        blocks: 1,
        shapes: [{ launches: 2 }, { launches: 10 }],
        barriers: 0,
        steps: 1,
        lane_steps: 32,
        rows: [shown, atomic, elsewhere],
    };
    const said = (guess, unit = 'wavefronts', predict = 7) =>
        judged({ stages: [{ kernels: [kernel] }] }, { predict, unit, file: 'main.cu', guess });
    assert.equal(said(''), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each.');
    assert.equal(said('4,75'), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each. You said 4.75: right.');
    assert.equal(said('1'), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each. You said 1.');
    assert.equal(said('many'), said(''));
    assert.equal(said('1', 'sectors'), '');
    assert.equal(said('', 'requests'), 'Line 7: 4 requests.');
    assert.equal(said('128', 'atomic operations', 8), 'Line 8: 128 atomic operations. You said 128: right.');
    assert.equal(said('130', 'atomic operations', 8), 'Line 8: 128 atomic operations. You said 130.');
    assert.equal(said('', 'launches', 0), 'In all: 12 launches.');
    assert.equal(said('1', 'blocks', 0), 'In all: 1 block. You said 1: right.');
    assert.equal(
        said('6', 'requests to global memory', 0),
        'In all: 6 requests to global memory. You said 6: right.',
    );
    assert.equal(said('1', 'wavefronts', 10), '');
});
