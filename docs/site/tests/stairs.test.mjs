// The stairs of the front page and of the map: each step leads to its section, its time is the recorded one, its
// code is what has changed, and what is solved is filled in. They are there without scripts.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PAIRS, TIMED_AT } from '../pairs.mjs';
import { CHAPTERS, OUT, ROOT, textOf } from '../build/places.mjs';
import { SCALE, flights, placeOf } from '../build/stairs.mjs';
import { MOST, definitions, difference, stepCode } from '../build/step_code.mjs';
import { duration, round } from '../.vitepress/theme/charts/quantities.mjs';
import { Browser, seriousFaults } from './browser.mjs';
import { built, csvRows } from './programs.mjs';

const browser = new Browser();

/** The stages of a chapter, as the list at the top of its main.cu has them. */
function tableOf(folder) {
    const [, list] = /^\/\/ Stages, made by .*\n((?:\/\/ +\d+ .*\n)+)/m.exec(textOf(folder, 'main.cu'));
    return [...list.matchAll(/^\/\/ +\d+ (\w+)/gm)].map(([, stage]) => stage);
}

/** The H200's time for a stage or library at n, in microseconds, or undefined. */
function recorded(all, id, n) {
    const [input, options = ''] = TIMED_AT[id].setting.split(', ');
    const mine = all.filter(
        (row) => row.cold_us && Number(row.n) === n && row.input === input && row.options === options,
    );
    return new Map(mine.map((row) => [row.stage, { kind: row.kind, us: Number(row.cold_us) }]));
}

/** For each step of a page: [stage, its text]. */
function shownSteps(html, kind) {
    const part = new RegExp(`<li class="${kind}[^>]*>(.*?)(?=<li class="${kind}|</ol>)`, 'gs');
    return [...html.matchAll(part)].map(([all, inner]) => [
        /<code>(\w+)<\/code>/.exec(inner)[1],
        inner.replace(/<small>.*?<\/small>/s, '').replaceAll(/&nbsp;|\u00a0/g, ' '),
        Number(/--at: ?([\d.]+)/.exec(all)[1]),
    ]);
}

test('the steps are those of the chapters’ tables, in their order', () => {
    for (const { folder, steps } of flights())
        assert.deepEqual(
            steps.map(({ stage }) => stage),
            tableOf(folder),
        );
});

for (const [page, kind] of [
    ['index.html', 'flight-step'],
    ['map.html', 'stair-step'],
]) {
    test(`${page}: times and places are those of the records`, () => {
        const steps = shownSteps(built(page), kind);
        assert.equal(steps.length, CHAPTERS.flatMap(({ folder }) => tableOf(folder)).length);
        for (const { id, n, library } of flights()) {
            const times = recorded(csvRows(`h200/${id}.csv`), id, n);
            const more = recorded(csvRows(`h200/${id}_cccl.csv`), id, n);
            const libraries = [...times.values(), ...more.values()].filter((row) => row.kind === 'library');
            assert.equal(library.us, Math.min(...libraries.map(({ us }) => us)), id);
            for (const stage of tableOf(CHAPTERS.find((each) => each.id === id).folder)) {
                const [name, text, at] = steps.shift();
                assert.equal(name, stage);
                const us = times.get(stage)?.us;
                const shown = us === undefined ? 'not timed at this n' : duration(us);
                assert.ok(text.includes(shown), `${id} ${stage}: ${shown} in ${text}`);
                if (us !== undefined) assert.ok(Math.abs(at - placeOf(us)) < 1e-4, `${id} ${stage}`);
                if (us !== undefined) assert.ok(at > 0 && at < 1, `${id} ${stage} is on the axis`);
            }
        }
    });

    test(`${page}: each step leads to the heading of its stage, below which is its strip`, () => {
        const links = [
            ...built(page).matchAll(new RegExp(`<li class="${kind}[^>]*>\\s*<a[^>]* href="([^"]+)"`, 'g')),
        ];
        const wanted = CHAPTERS.flatMap(({ folder }) => tableOf(folder).map((stage) => [folder, stage]));
        assert.equal(links.length, wanted.length);
        for (const [i, [, href]] of links.entries()) {
            const [file, anchor] = href.split('#');
            const [folder, stage] = wanted[i];
            assert.ok(file.startsWith(`./${folder}/`), href);
            const [, below = ''] = built(file).replaceAll('<wbr>', '').split(`<h2 id="${anchor}"`);
            assert.ok(below.split('<h2')[0].includes('<figure class="strip'), `${href} has no strip`);
            assert.match(below, new RegExp(`^[^>]*><code>${stage}</code>`), href);
        }
    });
}

test('the axis holds every time, and a factor of ten takes as much of it everywhere', () => {
    assert.equal(placeOf(SCALE.low), 0);
    assert.equal(placeOf(SCALE.high), 1);
    assert.ok(Math.abs(placeOf(1000) - placeOf(100) - (placeOf(1e5) - placeOf(1e4))) < 1e-12);
});

test('a chapter is shown where its first stage, its last and a library were timed', () => {
    for (const { id, steps, library, n } of flights()) {
        assert.ok(steps[0].us > steps.at(-1).us && library.us > 0, id);
        assert.ok(TIMED_AT[id].sizes.includes(n), id);
        assert.ok(steps.filter(({ us }) => us === null).length <= 1, id);
    }
});

test('every exercise is at one step, or aside: none is left out', () => {
    for (const { folder, steps, others } of flights()) {
        const files = fs
            .readdirSync(path.join(ROOT, folder, 'grading'))
            .filter((name) => name.endsWith('.md'));
        const all = [...steps.flatMap(({ exercises }) => exercises), ...others];
        assert.deepEqual(
            all.map(({ file }) => path.basename(file, '.cu')).sort(),
            files.map((name) => path.basename(name, '.md')).sort(),
        );
        for (const { file } of all) assert.ok(fs.existsSync(path.join(OUT, `${file}.html`)), file);
    }
    const at = (id, stage) =>
        flights()
            .find((each) => each.id === id)
            .steps.find((each) => each.stage === stage);
    // Its section is "Clocks on the device", in the part of that stage.
    assert.deepEqual(
        at('ch04', 'shuffle').exercises.map(({ name }) => name),
        ['ex7'],
    );
});

test('a difference keeps what is the same', () => {
    const found = difference(['a', '  b', 'c'], ['a', 'b', 'd', 'e']);
    assert.deepEqual(
        found.map(({ sign, text }) => sign + text),
        [' a', ' b', '-c', '+d', '+e'],
    );
});

test('definitions of a file, with their names and lines', () => {
    const text = `#include <a>
constexpr int kSize = 4;

/// What it does.
template <class T, int n>
__global__ void __launch_bounds__(128, 2)
    one_kernel(T* to) {  // {
    if (n) {
    }
}

struct Two {
    int a;
};
void three() { puts("}"); }
`;
    assert.deepEqual(
        definitions(text, 'x.cu').map(({ name, first, lines }) => [name, first, lines.length]),
        [
            ['one_kernel', 5, 6],
            ['Two', 12, 3],
            ['three', 15, 1],
        ],
    );
});

test('the code of each step: 1 to 20 lines, all of them in its chapter’s sources', () => {
    for (const { folder, steps } of flights()) {
        const fastest = path.join(ROOT, folder, 'fastest');
        const names = fs.existsSync(fastest) ? fs.readdirSync(fastest).map((name) => `fastest/${name}`) : [];
        const sources = new Set(['main.cu', ...names].flatMap((name) => textOf(folder, name).split('\n')));
        for (const { stage, beside, code } of steps) {
            const lines = code.lines.filter(Boolean);
            for (const { text } of lines) assert.ok(sources.has(text), `${stage}: ${text}`);
            const changed = lines.filter(({ sign }) => sign !== ' ').length;
            assert.ok(beside ? changed >= 1 && changed <= MOST : changed === 0 && lines.length > 1, stage);
            assert.equal(beside === null, PAIRS[folder.slice(0, 4)][stage].beside === null);
            const source = textOf(code.file).split('\n');
            assert.ok(fs.existsSync(path.join(OUT, `${code.file}.html`)), code.file);
            assert.match(source[code.first - 1], /^\w/, `${stage} begins at ${code.file}:${code.first}`);
        }
    }
});

test('what a step shows of its code is what has changed', () => {
    const shown = (...words) =>
        stepCode(...words)
            .lines.filter((line) => line && line.sign !== ' ')
            .map(({ sign, text }) => sign + text.trim());
    assert.deepEqual(shown('ch02', 'compact', 'neighbour'), [
        '-if (t % (2 * s) == 0) sums[t] += sums[t + s];',
        '+const unsigned left = 2 * s * t;',
        '+if (left < kThreads) sums[left] += sums[left + s];',
    ]);
    // A function that the kernel now calls belongs to it, and so do functions called by that one.
    const shuffle = shown('ch03', 'shuffle', 'unrolled');
    assert.equal(shuffle[1], '+const float sum = block_sum(strided_sum(items, n));');
    assert.ok(shuffle.includes('+mine += __shfl_down_sync(kFullMask, mine, half);'));
    // A stage that differs only in how it is launched.
    assert.ok(
        shown('ch04', 'tile_per_block', 'in_flight').includes(
            '+const unsigned tiles = tiles_for(n, kMaxReads);',
        ),
    );
    assert.throws(() => stepCode('ch02', 'nothing', 'atomic'), /no code of nothing/);
});

for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
]) {
    test(`at ${width} pixels, ${colorScheme}: nothing is cut, nothing overlaps, axe finds nothing`, async () => {
        for (const name of ['', 'map.html']) {
            const page = await browser.page(name, { width, colorScheme });
            if (name) {
                // On a phone the chapters are folded, and the page is no longer than they are.
                const chapters = page.locator('.stair-steps > summary');
                assert.equal(await chapters.first().isVisible(), width < 768);
                if (width < 768) {
                    const height = await page.evaluate(() => document.documentElement.scrollHeight);
                    assert.ok(height < 4900, `${height} pixels`);
                    for (const chapter of await chapters.all()) await chapter.click();
                }
                for (const at of [0, 3, 20]) await page.locator('.stair-step summary').nth(at).click();
            }
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
            const cut = await page.evaluate(() =>
                [...document.querySelectorAll('.step-time, .flight-head, .flight-sum > *')]
                    .filter((each) => each.getBoundingClientRect().right > innerWidth)
                    .map((each) => each.innerText),
            );
            assert.deepEqual(cut, []);
            assert.deepEqual(await seriousFaults(page), [], name);
            assert.deepEqual(page.faults, [], name);
            await browser.close(page);
        }
    });
}

test('without JavaScript there are the picture, the rows and their links', async () => {
    const page = await browser.page('', { javaScriptEnabled: false });
    const links = page.locator('.flight-step > a');
    const heights = await links.evaluateAll((all) =>
        all.map((each) => parseFloat(getComputedStyle(each, '::before').height)),
    );
    const steps = flights().flatMap((each) => each.steps);
    assert.equal(heights.length, steps.length);
    const tallest = Math.max(...heights);
    steps.forEach(({ us, stage }, i) => {
        if (us !== null) assert.ok(Math.abs(heights[i] / tallest - placeOf(us)) < 0.02, stage);
    });
    await links.first().click();
    await page.waitForURL(/ch01_bubble\/index\.html#global/);

    const map = await browser.page('map.html', { javaScriptEnabled: false });
    const row = map.locator('.stair-step').nth(1);
    await row.locator('summary').click();
    assert.match(await row.locator('pre').innerText(), /\+ {4}__shared__ int tile\[kSharedMaxKeys\];/);
    await row.locator('.step-exercises a').first().click();
    await map.waitForURL(/ch01_bubble\/exercises\/ex2_\w+\.cu\.html$/);
});

test('by keyboard: a step says what it is when it has the focus, and Enter leads to its section', async () => {
    const page = await browser.page('');
    const step = page.locator('.flight-step > a').nth(2);
    await page.locator('.flight-step > a').nth(1).focus();
    await page.keyboard.press('Tab');
    assert.ok(await step.evaluate((each) => each === document.activeElement));
    const tip = step.locator('.step-tip');
    await page.waitForFunction((each) => getComputedStyle(each).opacity === '1', await tip.elementHandle());
    const [before, now] = [0, 2].map((at) => flights()[0].steps[at].us);
    const said = `grid ${duration(now)}, ÷ ${round(before / now)} (global) removes the limit of one multiprocessor.`;
    assert.equal((await tip.innerText()).replaceAll(/\s+/g, ' '), said);
    await page.keyboard.press('Enter');
    await page.waitForURL(/ch01_bubble\/.*#grid-many-blocks-a-launch-per-half-step$/);
    await page.locator('h2', { hasText: 'many blocks, a launch per half-step' }).waitFor();
    assert.deepEqual(page.faults, []);
});

test('by keyboard: one link leads past the stairs', async () => {
    const page = await browser.page('');
    await page.locator('.home-buttons a').last().focus();
    await page.keyboard.press('Tab');
    const skip = page.locator('.past-stairs');
    assert.ok(await skip.evaluate((each) => each === document.activeElement));
    await page.keyboard.press('Enter');
    await page.waitForURL(/#past-the-stairs$/);
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate(() => document.activeElement.innerText);
    assert.equal(await focused(), 'All steps, with their code and exercises');
});

test('what the browser lab has kept as solved is filled in, also from another tab', async () => {
    const page = await browser.page('map.html');
    const solve = (id, isSolved) =>
        page.evaluate(
            ([name, value]) => localStorage.setItem(`page-lab:exercise:${name}`, JSON.stringify(value)),
            [id, { text: '// a try', isSolved, hints: 0 }],
        );
    await solve('ch03/ex2', true);
    await solve('ch03/ex3', false);
    for (const name of ['map.html', '']) {
        await page.goto(browser.site.address + name);
        await page.waitForFunction(() => document.querySelector('.mark:not(:empty)'));
        assert.deepEqual(
            await page
                .locator('.mark:not(:empty)')
                .evaluateAll((all) => all.map((each) => each.dataset.exercise)),
            ['ch03/ex2'],
        );
    }
    const other = await page.context().newPage();
    await other.goto(`${browser.site.address}map.html`);
    assert.match(await other.locator('.solved-total').innerText(), /^1 of \d+ exercises solved/);
    await solve('first/ex1', true);
    await other.waitForFunction(() => /^2 of/.test(document.querySelector('.solved-total').innerText));
    assert.match(
        await other
            .locator('.step-exercises a', { has: other.locator('[data-exercise="ch03/ex2"]') })
            .innerText(),
        /solved/,
    );
    assert.deepEqual(page.faults, []);
});
