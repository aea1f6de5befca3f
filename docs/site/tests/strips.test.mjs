// The strip below a stage's heading: there is one for every stage, and it says what the lab counted and the GPU took.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CHAPTERS, OUT, ROOT } from '../build/places.mjs';
import { stripHtml } from '../build/strip_html.mjs';
import { chosenSteps, recordingOf, stripOf, verdict } from '../build/strips.mjs';
import { duration } from '../.vitepress/theme/charts/quantities.mjs';
import { Playback } from '../.vitepress/theme/player/playback.mjs';
import { Browser } from './browser.mjs';
import { built, csvRows } from './programs.mjs';
import { PAIRS, TIMED_AT } from '../pairs.mjs';

const browser = new Browser();

const LIMIT = 12_000;

/** The stages of a chapter, in the order of their headings: [stage, page]. */
function headings(folder) {
    return ['README', 'fastest'].flatMap((page) => {
        const file = path.join(ROOT, folder, `${page}.md`);
        if (!fs.existsSync(file)) return [];
        const names = [...fs.readFileSync(file, 'utf8').matchAll(/^## `(\w+)`: /gm)];
        return names.map(([, stage]) => [stage, page === 'README' ? 'index' : page]);
    });
}

/** What a strip shows in its bars, as text: [counts, times]. */
function shownBars(html) {
    return html
        .split('<dl>')
        .slice(1)
        .map((list) => [...list.matchAll(/<dd><div>(.*?)(?: <b>.*?)?<\/div>/g)].map(([, value]) => value));
}

test('every stage with a heading has a strip, and no other name has one', () => {
    for (const { id, folder } of CHAPTERS) {
        const named = headings(folder).map(([stage]) => stage);
        assert.ok(named.length > 3, folder);
        assert.deepEqual(Object.keys(PAIRS[id]), named);
    }
    assert.equal(stripOf('first', 'celsius'), null);
});

for (const { id } of CHAPTERS) {
    test(`${id}: counts are the lab's, times the GPU's; no side has nothing; it is light`, () => {
        const counts = csvRows(`cpu/${id}.csv`);
        const times = csvRows(`h200/${id}.csv`);
        for (const stage of Object.keys(PAIRS[id])) {
            const strip = stripOf(id, stage);
            const html = stripHtml(strip, '../play.html', true);
            const names = [strip.beside, stage].filter(Boolean);
            const [counted, timed] = shownBars(html);
            assert.equal(counted.length, names.length, stage);
            names.forEach((name, i) => {
                const row = counts.find((each) => each.stage === name);
                assert.equal(
                    counted[i],
                    Number(row[strip.measure]).toLocaleString('en'),
                    `${name} in ${stage}`,
                );
                assert.ok(Number(row[strip.measure]) > 0, `${stage}: ${name} has no ${strip.measure}`);
                const [input, options = ''] = TIMED_AT[id].setting.split(', ');
                const measured = times.findLast(
                    (each) =>
                        each.stage === name &&
                        Number(each.n) === strip.timed.n &&
                        each.input === input &&
                        each.options === options,
                );
                const us = measured[strip.timed.hot ? 'hot_us' : 'cold_us'];
                assert.equal(timed[i], duration(Number(us)), `${name} in ${stage}`);
            });
            const bytes = gzipSync(html).length;
            assert.ok(bytes <= LIMIT, `${stage}: ${bytes} bytes`);
            assert.ok(!html.includes('\n\n') && !html.includes('{{'), stage);
            assert.ok(
                strip.sides.every(({ steps }) => steps.length > 0 && steps.length <= 5),
                stage,
            );
        }
    });
}

test('what is drawn is what the lab counts: neighbour idles, compact has conflicts', () => {
    const html = stripHtml(stripOf('ch02', 'compact'), '../play.html');
    const [before, now] = html.split('strip-name').slice(1);
    for (const words of ['256 of 512 lanes', '128 of 512 lanes', '64 of 512 lanes'])
        assert.ok(before.includes(words), words);
    assert.ok(!before.includes('would do'));
    for (const words of ['256 of 256 lanes', '16 wavefronts (8 would do)', '16 wavefronts (2 would do)'])
        assert.ok(now.includes(words), words);
    assert.ok(now.includes('class="s-c"') && !before.includes('class="s-c"'));
});

test('steps that look the same on both sides are left out, except the first', () => {
    const access = (at, lanes = [0, 1]) => ({
        kind: 'load',
        line: 0,
        wide: 1,
        groups: [{ b: 0, w: 0, a: 0, lanes, at }],
    });
    const run = (...steps) => {
        const array = {
            name: 'a',
            title: 'a',
            space: 'shared',
            block: 0,
            bytes: 4,
            items: 64,
            shown: 64,
            initial: [],
        };
        const launches = [{ first: 0, blocks: 1, threads: 32 }];
        return new Playback({ launches, arrays: [array], lines: [], sources: [], steps, faults: [] });
    };
    const same = access([0, 1]);
    const inStep = [run(same, same, access([0, 2])), run(same, same, access([0, 4]))];
    assert.deepEqual(chosenSteps(inStep, 'wavefronts'), [
        [0, 2],
        [0, 2],
    ]);
    const others = [run(same, access([0, 32])), run(access([5, 6]), access([3, 3]), access([4, 4]))];
    assert.deepEqual(chosenSteps(others, 'wavefronts'), [
        [0, 1],
        [0, 1],
    ]);
    const barrier = { kind: 'barrier', line: 0, groups: [{ b: 0 }] };
    assert.deepEqual(chosenSteps([run(barrier, same)], 'wavefronts'), [[1]]);
});

test('what one side does far more often is shown, though the other does it as well', () => {
    const [before] = stripOf('ch04', 'tree').sides;
    const lanes = before.steps.map((at) => before.playback.detail(at).groups[0].lanes.length);
    assert.ok(lanes.includes(1), `thread 0 adds alone: ${lanes}`);
});

test('where the recording comes close only, the strip says so', () => {
    const html = (stage) => stripHtml(stripOf('ch05', stage), '../play.html');
    assert.match(html('merge_rank'), /shown only approximately/);
    assert.doesNotMatch(html('bitonic_block') + html('merge_path'), /approximately/);
});

test('every stage with a strip has a recording', () => {
    const without = Object.keys(PAIRS).flatMap((id) =>
        Object.keys(PAIRS[id]).filter((stage) => recordingOf(id, stage) === null),
    );
    assert.deepEqual(without, []);
});

test('where the bars disagree, the strip says so', () => {
    assert.equal(verdict([100, 50], [9, 4]), 'Both fall.');
    assert.equal(verdict([100, 50], [9, 9.1]), 'The count falls, the time is unchanged.');
    assert.equal(verdict([100, 50], [9, 10]), 'The count falls, the time rises.');
    assert.equal(verdict([100, 101], [9, 4]), 'The count is unchanged, the time falls.');
    assert.equal(verdict([100, 200], [9, 4]), 'The count rises, the time falls.');
});

test('where not both fall, every strip says why', () => {
    const silent = Object.keys(PAIRS).flatMap((id) =>
        Object.keys(PAIRS[id]).filter((stage) => {
            const { beside, says, counted, timed } = stripOf(id, stage);
            return beside && !says && verdict(counted.of, timed.us) !== 'Both fall.';
        }),
    );
    assert.deepEqual(silent, []);
});

test('in the built pages it is below the heading, in the HTML and not in the script as well', () => {
    for (const { folder } of CHAPTERS) {
        for (const [stage, page] of headings(folder)) {
            const html = built(folder, `${page}.html`);
            const [, below] = html.split(new RegExp(`<h2 id="${stage}-[^"]*"`));
            const section = below.split('<h2 ')[0];
            assert.match(section, /^[^]*?<\/h2><figure class="strip /, `${folder}, ${stage}`);
        }
    }
    const assets = path.join(OUT, 'assets');
    const scripts = fs.readdirSync(assets).filter((name) => /^ch\d\d_.*\.lean\.js$/.test(name));
    assert.ok(scripts.length > CHAPTERS.length);
    for (const name of scripts)
        assert.ok(!fs.readFileSync(path.join(assets, name), 'utf8').includes('strip-bars'), name);
});

for (const [width, colorScheme] of [
    [390, 'dark'],
    [1440, 'light'],
]) {
    test(`without scripts all strips are seen, at ${width} pixels, and nothing of them is cut`, async () => {
        for (const { folder } of CHAPTERS) {
            const page = await browser.page(`${folder}/`, { width, colorScheme, javaScriptEnabled: false });
            const boxes = await page.locator('.strip').evaluateAll((all) =>
                all.map((strip) => {
                    const { width: wide, left, right } = strip.getBoundingClientRect();
                    const inside = [...strip.querySelectorAll('p, svg, dt, dd > *, ol')];
                    const cut = inside.filter((each) => each.getBoundingClientRect().right > right);
                    const high = [...strip.querySelectorAll('svg')].map((svg) => svg.clientHeight);
                    return { wide, left, cut: cut.length, flat: high.filter((each) => each < 20).length };
                }),
            );
            const wanted = headings(folder).filter(([, page]) => page === 'index');
            assert.equal(boxes.length, wanted.length, folder);
            for (const { wide, left, cut, flat } of boxes) {
                assert.ok(
                    wide > 300 && left >= 0 && cut === 0 && flat === 0,
                    `${folder}: ${wide}, ${cut}, ${flat}`,
                );
            }
            await browser.close(page);
        }
    });
}

test('from a strip the player opens with both stages and the measure', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    const strip = page.getByRole('figure', { name: 'sequential beside compact' });
    await strip.getByRole('link', { name: 'Both, step by step' }).click();
    await page.locator('.stage-view').nth(1).waitFor();
    assert.deepEqual(await page.locator('.stage-name').allInnerTexts(), ['sequential', 'compact']);
    assert.equal(await page.getByLabel('Width of a step').inputValue(), 'wavefronts');
    assert.deepEqual(page.faults, []);
});
