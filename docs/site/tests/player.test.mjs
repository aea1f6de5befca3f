// The player in a real browser: what its cells show is what the kernels did.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { readTrace } from '../build/read_trace.mjs';
import { trace } from '../build/record.mjs';
import { valueOf } from '../build/values.mjs';
import { unpacked } from '../.vitepress/theme/player/costs.mjs';
import { inputsOf } from '../recordings.mjs';
import { Browser, cells, openPlayer, seek, axeFaults } from './browser.mjs';
import { PROGRAMS, published } from './programs.mjs';

const browser = new Browser();

/** What an array of a raw trace holds after each barrier of block 0, and at the end. */
function memoryAtBarriers(raw, title, type) {
    const values = [];
    const states = [];
    for (const event of raw.launches[0].events) {
        if (event.kind === 'barrier') states.push([...values]);
        else if (event.array?.replace(/ of block 0$/, '') === title) {
            event.bits.forEach((bits, i) => (values[event.first + i] = String(valueOf(bits, type))));
        }
    }
    return [...states, values];
}

/** The steps after which a barrier was passed. */
function barrierSteps(name) {
    const { steps } = published(name);
    const found = [];
    steps.forEach(({ kind }, at) => kind === 'barrier' && found.push(at + 1));
    return [...found, steps.length];
}

const CASES = [
    ['ch02_reduce_baseline', 'neighbour', 'sums', 'float'],
    ['ch03_reduce_optimized', 'unrolled', 'sums', 'float'],
    ['ch01_bubble', 'shared', 'tile', 'int'],
];

for (const [folder, stage, array, type] of CASES) {
    test(`${folder}, ${stage}: cells are those of a fresh trace, after each barrier`, async () => {
        const chapter = folder.slice(0, 4);
        const [first] = inputsOf(chapter, stage);
        const options = ['--faults', '--stage', stage, ...first.words];
        const expected = memoryAtBarriers(
            readTrace(await trace(path.join(PROGRAMS, `${folder}_lab`), options)),
            array,
            type,
        );
        const page = await browser.page(`${folder}/`);
        const player = await openPlayer(page, stage);
        const steps = barrierSteps(`${chapter}/${stage}/${first.name}`);
        assert.equal(steps.length, expected.length);
        const chosen = [0, 1, Math.floor(steps.length / 2), steps.length - 2, steps.length - 1];
        for (const at of chosen) {
            await seek(player, steps[at]);
            const shown = await cells(player, array);
            assert.ok(shown.length >= 64);
            assert.deepEqual(shown, Array.from(expected[at]), `after barrier ${at + 1}`);
        }
        assert.deepEqual(page.faults, []);
    });
}

for (const width of [1440, 390]) {
    test(`at ${width} pixels the sums of digits are numbers in cells of 12 pixels, and none is cut`, async () => {
        const page = await browser.page('play.html?chapter=ch02&stage=sequential&beside=compact&step=30', {
            width,
        });
        await page.locator('.stage-view').nth(1).waitFor();
        const shown = await page.locator('.memory details[open] .cell').evaluateAll((all) =>
            all.map((cell) => {
                const number = cell.querySelector('i');
                const { width, height } = cell.getBoundingClientRect();
                const isCut = number.scrollWidth > number.clientWidth + 1;
                return { width, height, text: number.innerText, isCut, value: cell.dataset.value };
            }),
        );
        assert.equal(shown.length, 2 * 64);
        assert.ok(shown.filter(({ text }) => /^\d\d?$/.test(text)).length >= 120);
        for (const { width, height, text, isCut, value } of shown) {
            assert.ok(width >= 11.9 && height >= 12, `${width} x ${height}`);
            assert.equal(text, value);
            assert.ok(!isCut, `${text} is cut`);
        }
    });
}

test('scrubbing back restores the start, and every step on the way', async () => {
    const page = await browser.page('ch05_merge_bitonic/');
    const player = await openPlayer(page, 'bitonic_block');
    const all = () => player.locator('.cell').evaluateAll((found) => found.map((cell) => cell.dataset.value));
    const start = await all();
    await seek(player, 70);
    const middle = await all();
    assert.notDeepEqual(middle, start);
    await seek(player, 100);
    await seek(player, 70);
    assert.deepEqual(await all(), middle);
    await seek(player, 0);
    assert.deepEqual(await all(), start);
});

test('two stages side by side stay in step, and end with the same sum', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    const player = await openPlayer(page, 'neighbour');
    await player.getByLabel('Beside it', { exact: true }).selectOption('sequential');
    await player.locator('.stage-view').nth(1).waitFor();
    for (const step of [5, 17, 30]) {
        await seek(player, step);
        const said = await page.locator('.player [role=status]').textContent();
        assert.match(said, new RegExp(`neighbour, step ${step},.* sequential, step ${step},`));
    }
    const last = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    await seek(player, last);
    const sums = await Promise.all([0, 1].map((i) => cells(player.locator('.stage-view').nth(i), 'output')));
    assert.ok(Math.abs(Number(sums[0][0]) - Number(sums[1][0])) < 1e-3, String(sums));
    // Why neighbour idles: at its first level half the lanes of every warp are idle.
    await seek(player, 4);
    const idle = (i) => player.locator('.stage-view').nth(i).locator('.warp .lane-idles').count();
    assert.equal(await idle(0), 256);
    assert.equal(await idle(1), 0);
    assert.deepEqual(page.faults, []);
});

/** Sums over the lines that the lab counts, of one stage. */
function counted(chapter, stage, n) {
    const words = ['--explain', '--json', '--stage', stage, '--n', String(n), '--input', 'random'];
    const program = path.join(PROGRAMS, `${chapter}_lab`);
    const { stages } = JSON.parse(execFileSync(program, words, { maxBuffer: 1 << 27 }));
    const rows = stages[0].kernels.flatMap((kernel) => kernel.rows);
    const sum = (name, space) =>
        rows.filter((row) => row.space === space).reduce((total, row) => total + (row[name] ?? 0), 0);
    const requests = sum('requests', 'global') + sum('requests', 'shared');
    const lanes = sum('lanes', 'global') + sum('lanes', 'shared');
    return {
        wavefronts: sum('wavefronts', 'shared'),
        sectors: sum('sectors', 'global'),
        idle: 32 * requests - lanes,
    };
}

test('two stages are compared by what both have: never is one side nothing', async () => {
    for (const [chapter, stage, beside, measure] of [
        ['ch01', 'shared', 'global', 'sectors'],
        ['ch02', 'sequential', 'neighbour', 'wavefronts'],
        ['ch03', 'shuffle', 'unrolled', 'wavefronts'],
    ]) {
        const page = await browser.page(`play.html?chapter=${chapter}&stage=${stage}&beside=${beside}`);
        const player = page.locator('.player');
        await player.locator('.stage-view').nth(1).waitFor();
        assert.equal(await player.getByLabel('Width of a step').inputValue(), measure, `${chapter}/${stage}`);
        const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
        await seek(player, max);
        const costs = await player
            .locator('.stage-view .cost')
            .evaluateAll((all) => all.map((each) => Number(each.dataset.cost)));
        assert.ok(costs.length === 2 && costs.every((cost) => cost > 0), `${chapter}/${stage}: ${costs}`);
        await browser.close(page);
    }
});

test("a step is as wide as it costs, by the measure chosen: the sums are the lab's", async () => {
    const page = await browser.page(
        'play.html?chapter=ch02&stage=compact&beside=sequential&input=random-1024',
    );
    const player = page.locator('.player');
    await player.locator('.stage-view').nth(1).waitFor();
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    const read = () =>
        player.locator('.stage-view').evaluateAll((views) =>
            views.map((view) => ({
                cost: Number(view.querySelector('.cost').dataset.cost),
                at: parseFloat(view.querySelector('.time-line').style.getPropertyValue('--at')),
            })),
        );
    for (const measure of ['wavefronts', 'sectors', 'idle']) {
        await player.getByLabel('Width of a step').selectOption(measure);
        await seek(player, max);
        const ends = await read();
        ['compact', 'sequential'].forEach((stage, i) =>
            assert.equal(ends[i].cost, counted('ch02_reduce_baseline', stage, 1024)[measure], measure),
        );
        const scale = Math.max(...ends.map(({ cost }) => cost));
        for (const step of [3, 18, 19, 40, max]) {
            await seek(player, step);
            for (const { cost, at } of await read())
                assert.ok(Math.abs(at - (100 * cost) / scale) < 1e-6, `${measure}, step ${step}: ${at}`);
        }
    }
    // What the reader should see: the same step takes one stage 16 wavefronts and the other just one.
    await player.getByLabel('Width of a step').selectOption('wavefronts');
    await page.goto(
        page
            .url()
            .replace('random-1024', 'random-64')
            .replace(/step=\d+/, 'step=18'),
    );
    await player.locator('.stage-view').nth(1).waitFor();
    const [before] = [await read(), await player.getByRole('button', { name: 'One step back' }).click()];
    const after = await read();
    assert.deepEqual(
        before.map(({ cost }, i) => cost - after[i].cost),
        [16, 1],
    );
    assert.deepEqual(page.faults, []);
});

test('every state has an address that restores it', async () => {
    const page = await browser.page('ch03_reduce_optimized/');
    const player = await openPlayer(page, 'shuffle');
    await player.getByLabel('Input', { exact: true }).selectOption('random-61');
    await player.getByLabel('Width of a step').selectOption('sectors');
    await seek(player, 7);
    const state = () =>
        page.locator('.player').evaluate((root) => ({
            choices: [...root.querySelectorAll('.choices select')].map(({ value }) => value),
            output: root.querySelector('output').textContent,
            words: [...root.querySelectorAll('.words')].map(({ textContent }) => textContent),
            cells: [...root.querySelectorAll('.cell')].map((cell) => cell.dataset.value + cell.className),
            lanes: [...root.querySelectorAll('.lane')].map(({ className }) => className),
        }));
    const kept = await state();
    await player.locator('.state-link').click();
    await page.waitForURL(
        /play\.html\?chapter=ch03&stage=shuffle&beside=-&input=random-61&step=7&measure=sectors/,
    );
    await page.locator('.stage-view').waitFor();
    assert.deepEqual(await state(), kept);
    // The page's own address follows; loaded again, or sent, it shows the same.
    await page.getByLabel('Beside it', { exact: true }).selectOption('unrolled');
    await page.locator('.stage-view').nth(1).waitFor();
    for (const step of [3, 11]) {
        await seek(page.locator('.player'), step);
        const there = await state();
        await page.reload({ waitUntil: 'load' });
        await page.locator('.stage-view').nth(1).waitFor();
        assert.deepEqual(await state(), there);
    }
    assert.deepEqual(page.faults, []);
});

test('keys work after a click on a button; buttons lead to barriers, waste, changes of a cell', async () => {
    const page = await browser.page('play.html?chapter=ch02&stage=compact&beside=-&input=random-64');
    const player = page.locator('.player');
    await player.locator('.stage-view').waitFor();
    const step = async () => Number((await player.locator('output').innerText()).split(' ')[0]);
    await player.getByRole('button', { name: 'One step forward' }).click();
    await page.keyboard.press('ArrowRight');
    assert.equal(await step(), 2);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => /^[4-9] /.test(document.querySelector('.player output').textContent));
    await page.keyboard.press('Space');
    await page.keyboard.press('Home');
    const words = player.locator('.words');
    await player.getByRole('button', { name: 'next barrier' }).click();
    assert.match(await words.innerText(), /^Barrier/);
    await player.getByRole('button', { name: 'next waste' }).click();
    assert.match(await words.innerText(), /instead of|(\d+) of (?!\1 )\d+ lanes/);
    await page.keyboard.press('Home');
    await player.locator('.is-shared .cell[data-item="4"]').click();
    const values = [];
    for (const name of ['next change of sums[4]', 'next change of sums[4]']) {
        const before = await step();
        await player.getByRole('button', { name }).click();
        assert.ok((await step()) > before);
        const cell = player.locator('.is-shared .cell[data-item="4"]');
        assert.match(await cell.getAttribute('class'), /is-store/);
        values.push(await cell.getAttribute('data-value'));
    }
    assert.notEqual(values[0], values[1]);
});

test('a shuffle: arrows between lanes, own and got values, and none of them stays', async () => {
    const page = await browser.page('play.html?chapter=ch03&stage=shuffle&beside=-&input=random-64&step=4');
    const player = page.locator('.player');
    await player.locator('.exchange path').first().waitFor();
    const arrows = await player
        .locator('.exchange path')
        .evaluateAll((all) => all.map(({ dataset }) => [Number(dataset.from), Number(dataset.to)]));
    const recorded = published('ch03/shuffle/random-64').steps[3];
    assert.equal(recorded.kind, 'shuffle');
    const group = recorded.groups.find(({ w }) => w === 0);
    const lanes = unpacked(group.lanes);
    const from = unpacked(group.from);
    assert.deepEqual(
        arrows,
        lanes.map((lane, i) => [from[i], lane]).filter(([source, lane]) => source !== lane),
    );
    const got = await player
        .locator('.is-got span')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.value));
    assert.deepEqual(got, group.v.map(String));
    await player.getByRole('button', { name: 'next barrier' }).click();
    assert.equal(await player.locator('.exchange').count(), 0);
});

test("a step in a function shows the kernel's line that calls it; warps that wait are shown and said", async () => {
    const page = await browser.page('play.html?chapter=ch01&stage=global&beside=-&input=random-64&step=4');
    const player = page.locator('.player');
    await player.locator('.called-from code').first().waitFor();
    assert.match(
        await player.locator('.called-from').innerText(),
        /called from line \d+: .*compare_exchange\(/,
    );
    assert.match(await player.locator('.is-caller').first().innerText(), /compare_exchange\(/);
    await page.goto(
        `${browser.site.address}play.html?chapter=ch02&stage=sequential&beside=-&input=random-64&step=12`,
    );
    await player.locator('.words', { hasText: 'warps 2 to 15 wait for them at the barrier' }).waitFor();
    assert.ok((await player.locator('.warp .lane-waits').count()) > 32);
});

test('nothing is cut off without a word: padding is folded, and can be seen', async () => {
    const page = await browser.page('play.html?chapter=ch03&stage=shuffle&beside=-&input=random-64&step=2');
    const player = page.locator('.player');
    await player.locator('.stage-view').waitFor();
    const boxes = await player.evaluate((root) =>
        [...root.querySelectorAll('.warps, .cells')]
            .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
            .map(({ className }) => className),
    );
    assert.deepEqual(boxes, []);
    const [{ threads }] = published('ch03/shuffle/random-64').launches;
    const rows = await player.locator('.warp').count();
    const folded = await player.locator('.warps .folded').allInnerTexts();
    const hidden = folded.reduce((sum, text) => {
        const [first, last] = text.match(/\d+/g).map(Number);
        return sum + last - first + 1;
    }, 0);
    assert.equal(rows + hidden, threads / 32);
});

test("a kernel is watched on the first screen of chapter 1, and on the first kernel's page", async () => {
    const page = await browser.page('ch01_bubble/');
    const button = page.getByRole('button', { name: 'Watch global and shared run' });
    await button.waitFor();
    const { y, height } = await button.boundingBox();
    assert.ok(y + height <= 900, `${y + height} pixels down`);
    await button.click();
    await page.locator('.stage-view').nth(1).waitFor();
    assert.deepEqual(await page.locator('.stage-name').allInnerTexts(), ['global', 'shared']);
    await page.goto(`${browser.site.address}docs/first_kernel.html`);
    const player = await openPlayer(page, 'celsius');
    await player.getByRole('button', { name: 'One step forward' }).click();
    assert.match(await player.locator('.words').innerText(), /load from global memory; \d+ sectors/);
    assert.match(await player.locator('.source-view').innerText(), /celsius_kernel/);
    assert.deepEqual(page.faults, []);
});

test('a race is red, next to the right kernel', async () => {
    const page = await browser.page('docs/faults.html');
    const player = await openPlayer(page, 'warp_without_syncwarp');
    await player.locator('.stage-view').nth(1).waitFor();
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    let red = 0;
    const words = player.locator('.words.is-fault', {
        hasText:
            /race within a block.*thread \d+ of block 0 (?:reads|writes) it in line \d+; thread \d+ of block 0 (?:read|wrote) it in line \d+/i,
    });
    for (let step = 1; step <= max && (!red || (await words.count()) === 0); ++step) {
        await seek(player, step);
        red = await player.locator('.stage-view').first().locator('.cell.is-fault').count();
    }
    assert.ok(red > 0, 'no cell became red');
    assert.equal(await words.count(), 1);
    const step = await player.locator('output').innerText();
    await seek(player, 0);
    await player.getByRole('button', { name: 'next fault' }).click();
    await words.or(player.locator('.words.is-fault')).first().waitFor();
    assert.ok(
        Number((await player.locator('output').innerText()).split(' ')[0]) <= Number(step.split(' ')[0]),
    );
    assert.equal(await player.locator('.stage-view').nth(1).locator('.is-fault').count(), 0);
});

test('a race is red: the next pair of the gallery', async () => {
    const page = await browser.page('docs/faults.html');
    const player = await openPlayer(page, 'reverse_without_barrier');
    await player.locator('.stage-view').nth(1).waitFor();
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    const red = (i) => player.locator('.stage-view').nth(i).locator('.cell.is-fault').count();
    let most = 0;
    for (let step = 1; step <= max; ++step) {
        await seek(player, step);
        most = Math.max(most, await red(0));
        assert.equal(await red(1), 0);
    }
    assert.ok(most > 0, 'no cell became red');
    const right = await cells(player.locator('.stage-view').nth(1), 'data');
    assert.deepEqual(
        right.map(Number),
        Array.from({ length: 64 }, (_, i) => 63 - i),
    );
});

for (const [name, colorScheme] of [
    ['play.html?chapter=ch02&stage=compact&beside=sequential&input=random-64', 'light'],
    ['play.html?chapter=ch03&stage=shuffle&beside=-&input=random-64', 'dark'],
    ['play.html?chapter=gallery&stage=warp_without_syncwarp', 'light'],
    ['play.html?chapter=ch05&stage=bitonic_shared&beside=bitonic_block&input=random-64', 'dark'],
]) {
    test(`no accessibility fault, at the start and at played steps: ${name}`, async () => {
        const page = await browser.page(name, { colorScheme });
        const player = page.locator('.player');
        await player.locator('.stage-view').first().waitFor();
        await player.locator('.legend summary').click();
        for (const step of [0, 4, 12, 18]) {
            await seek(
                player,
                Math.min(step, Number(await player.locator('.steps input').getAttribute('max'))),
            );
            assert.deepEqual(await axeFaults(page), [], `step ${step}`);
        }
    });
}

test('the keyboard alone reaches and moves everything', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    await page.waitForFunction(() => document.querySelector('.stage-player.is-ready'));
    const focused = () =>
        page.evaluate(() => {
            const { tagName, textContent } = document.activeElement;
            return tagName === 'BUTTON' ? textContent.trim() : '';
        });
    for (let i = 0; i < 400 && !/Watch neighbour/.test(await focused()); ++i)
        await page.keyboard.press('Tab');
    assert.match(await focused(), /Watch neighbour/);
    await page.keyboard.press('Enter');
    await page.locator('.stage-view').waitFor();
    // An opened player has the focus, without pressing Tab.
    assert.equal(await page.evaluate(() => document.activeElement.className.includes('player')), true);
    const output = page.locator('.player output');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.match(await output.innerText(), /^2 \//);
    await page.keyboard.press('ArrowLeft');
    assert.match(await output.innerText(), /^1 \//);
    await page.keyboard.press('End');
    assert.match(await output.innerText(), /^(\d+) \/ \1$/);
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => /^[3-9] /.test(document.querySelector('.player output').textContent));
    await page.keyboard.press('Space');
    const names = new Set();
    for (let i = 0; i < 14; ++i) {
        await page.keyboard.press('Tab');
        names.add(await page.evaluate(() => document.activeElement.getAttribute('aria-label')));
    }
    for (const name of [
        'Stage',
        'Beside it',
        'Input',
        'Play',
        'One step forward',
        'Step',
        'Steps per second',
        'Source of neighbour',
    ]) {
        assert.ok(names.has(name), `${name} is not reached: ${[...names].join(', ')}`);
    }
    const said = await page.locator('.player [role=status]').textContent();
    assert.match(said, /neighbour, step \d+, line \d+: /);
    await page.keyboard.press('Escape');
    await page.locator('.stage-view').waitFor({ state: 'detached' });
    assert.match(await focused(), /Watch neighbour/);
});

for (const width of [390, 1440]) {
    test(`nothing of the player is cut at ${width} pixels: source, legend, cells of 12 pixels with numbers`, async () => {
        const page = await browser.page(
            'play.html?chapter=ch01&stage=shared&beside=global&input=random-64&step=9',
            { width, height: 900 },
        );
        const player = page.locator('.player');
        await player.locator('.stage-view').nth(1).waitFor();
        const legend = await player.locator('.legend').boundingBox();
        const first = await player.locator('.cells').first().boundingBox();
        assert.ok(legend.y < first.y, 'the legend is above what it explains');
        for (const mark of ['works', 'read', 'bank conflict'])
            assert.ok(
                await player.locator('.legend summary > span', { hasText: mark }).first().isVisible(),
                mark,
            );
        const cell = player.locator('.is-global details[open] .cell').first();
        assert.ok((await cell.boundingBox()).width >= 11.5);
        assert.ok(await cell.locator('i').isVisible(), 'a number of two digits has room');
        assert.match(await cell.locator('i').innerText(), /^\d{1,2}$/);
        if (width < 500) await page.getByRole('button', { name: 'Code', exact: true }).click();
        const cut = await player
            .locator('.source-view')
            .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length);
        assert.equal(cut, 0);
    });
}

test('an open player does not cover the contents of the page', async () => {
    const page = await browser.page('ch03_reduce_optimized/');
    const contents = page.locator('.VPDocAsideOutline');
    await contents.waitFor();
    const player = await openPlayer(page, 'shuffle');
    assert.equal(await contents.isVisible(), false);
    const bar = page.locator('.VPLocalNav');
    await bar.getByRole('button', { name: 'On this page' }).click();
    await bar.getByRole('link', { name: /^vector/ }).click();
    await page.waitForURL(/#vector/);
    await player.getByRole('button', { name: 'Close the player' }).click();
    assert.equal(await contents.isVisible(), true);
    assert.equal(await bar.isVisible(), false);
    assert.deepEqual(page.faults, []);
});

test('on a telephone, by touch, and with little motion', async () => {
    const page = await browser.page('ch03_reduce_optimized/', {
        width: 360,
        height: 740,
        hasTouch: true,
        reducedMotion: 'reduce',
    });
    await page.getByRole('button', { name: 'Watch shuffle run' }).tap();
    await page.locator('.stage-view').waitFor();
    await page.getByRole('button', { name: 'One step forward' }).tap();
    await page.locator('.player output', { hasText: /^1 \// }).waitFor();
    const small = await page.locator('.player').evaluate((root) =>
        [...root.querySelectorAll('button, select, summary, a, input')]
            .filter((each) => each.offsetParent !== null)
            .map((each) => [each, each.getBoundingClientRect()])
            .filter(([, { width, height }]) => width < 44 || height < 43.5)
            .map(([each, { width, height }]) => `${each.outerHTML.slice(0, 80)}: ${width} x ${height}`),
    );
    assert.deepEqual(small, []);
    await page.getByLabel('Steps per second').selectOption('8');
    assert.equal(await page.locator('.source-view').isVisible(), false);
    await page.getByRole('button', { name: 'Code', exact: true }).tap();
    assert.equal(await page.locator('.source-view').isVisible(), true);
    assert.equal(await page.locator('.threads').isVisible(), false);
    await page.getByRole('button', { name: 'Threads and memory' }).tap();
    await page.locator('.time-line').scrollIntoViewIfNeeded();
    const line = await page.locator('.time-line').boundingBox();
    await page.touchscreen.tap(line.x + line.width / 2, line.y + 20);
    assert.ok(Number((await page.locator('.player output').innerText()).split(' ')[0]) > 5);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    const moving = await page.evaluate(() =>
        [...document.querySelectorAll('.player *')].some(
            (each) => parseFloat(getComputedStyle(each).transitionDuration) > 0.01,
        ),
    );
    assert.equal(moving, false);
    assert.deepEqual(page.faults, []);
});
