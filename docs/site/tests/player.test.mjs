// The player in a real browser: what its cells show is what the kernels did.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readTrace } from '../build/read_trace.mjs';
import { trace } from '../build/record.mjs';
import { valueOf } from '../build/values.mjs';
import { Browser, cells, openPlayer, seek, seriousFaults } from './browser.mjs';
import { PROGRAMS } from './programs.mjs';

let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.stop());

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
async function barrierSteps(page, chapter, stage, input) {
    const recording = await page.evaluate(
        async (name) => (await fetch(new URL(`../traces/${name}.json`, location.href))).json(),
        `${chapter}/${stage}/${input}`,
    );
    const found = [];
    recording.steps.forEach(({ kind }, at) => kind === 'barrier' && found.push(at + 1));
    return [...found, recording.steps.length];
}

const CASES = [
    ['ch02_reduce_baseline', 'neighbour', 'sums', 'float', []],
    ['ch03_reduce_optimized', 'unrolled', 'sums', 'float', []],
    ['ch01_bubble', 'shared', 'tile', 'int', ['--type', 'int']],
];

for (const [folder, stage, array, type, words] of CASES) {
    test(`${folder}, ${stage}: cells are those of a fresh trace, after each barrier`, async () => {
        const chapter = folder.slice(0, 4);
        const options = ['--faults', '--stage', stage, '--n', '64', '--input', 'random', ...words];
        const expected = memoryAtBarriers(
            readTrace(await trace(path.join(PROGRAMS, `${folder}_lab`), options)),
            array,
            type,
        );
        const page = await browser.page(`${folder}/`);
        const player = await openPlayer(page, stage);
        const steps = await barrierSteps(page, chapter, stage, 'random-64');
        assert.equal(steps.length, expected.length);
        const chosen = [0, 1, Math.floor(steps.length / 2), steps.length - 2, steps.length - 1];
        for (const at of chosen) {
            await seek(player, steps[at]);
            const shown = await cells(player, array);
            assert.ok(shown.length >= 64);
            assert.deepEqual(shown, Array.from(expected[at]), `after barrier ${at + 1}`);
        }
        assert.deepEqual(page.faults, []);
        await browser.close(page);
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
    await browser.close(page);
});

test('two stages side by side stay in step, and end with the same sum', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    const player = await openPlayer(page, 'neighbour');
    await player.getByLabel('Beside it', { exact: true }).selectOption('sequential');
    await player.locator('.stage-view').nth(1).waitFor();
    for (const step of [5, 17, 30]) {
        await seek(player, step);
        const places = await player
            .locator('.time-line')
            .evaluateAll((all) => all.map((each) => each.style.cssText));
        assert.equal(places.length, 2);
        assert.equal(places[0], places[1]);
    }
    const last = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    await seek(player, last);
    const sums = await Promise.all([0, 1].map((i) => cells(player.locator('.stage-view').nth(i), 'output')));
    assert.ok(Math.abs(Number(sums[0][0]) - Number(sums[1][0])) < 1e-3, String(sums));
    // Why neighbour idles: at its first level half of the lanes of every warp stand by.
    await seek(player, 4);
    const idle = (i) => player.locator('.stage-view').nth(i).locator('.lane-idles').count();
    assert.equal(await idle(0), 256);
    assert.equal(await idle(1), 0);
    assert.deepEqual(page.faults, []);
    await browser.close(page);
});

test('a race is red, beside the right kernel', async () => {
    const page = await browser.page('docs/faults.html');
    const player = await openPlayer(page, 'warp_without_syncwarp');
    await player.locator('.stage-view').nth(1).waitFor();
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    let red = 0;
    const words = player.locator('.words.is-fault', { hasText: 'race within a block' });
    for (let step = 1; step <= max && (!red || (await words.count()) === 0); ++step) {
        await seek(player, step);
        red = await player.locator('.stage-view').first().locator('.cell.is-fault').count();
    }
    assert.ok(red > 0, 'no cell became red');
    assert.equal(await words.count(), 1);
    assert.equal(await player.locator('.stage-view').nth(1).locator('.is-fault').count(), 0);
    await browser.close(page);
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
    await browser.close(page);
});

test('an open player has no serious accessibility fault', async () => {
    const page = await browser.page('ch05_merge_bitonic/', { colorScheme: 'dark' });
    const player = await openPlayer(page, 'bitonic_shared');
    await player.getByLabel('Beside it', { exact: true }).selectOption('bitonic_block');
    await player.locator('.stage-view').nth(1).waitFor();
    await seek(player, 12);
    assert.deepEqual(await seriousFaults(page), []);
    await browser.close(page);
});

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
    await page.keyboard.press('Tab');
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
        'One step on',
        'Step',
        'Steps a second',
        'Source',
    ]) {
        assert.ok(names.has(name), `${name} is not reached: ${[...names].join(', ')}`);
    }
    const said = await page.locator('.player [role=status]').textContent();
    assert.match(said, /neighbour, step \d+, line \d+: /);
    await browser.close(page);
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
    await page.getByRole('button', { name: 'One step on' }).tap();
    await page.locator('.player output', { hasText: /^1 \// }).waitFor();
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
    await browser.close(page);
});
