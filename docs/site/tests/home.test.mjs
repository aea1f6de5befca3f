// The front page: its live pair shows what the kernels do, and all of it is there on a phone.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { compileTrace } from '../build/compile_trace.mjs';
import { CHAPTERS } from '../build/places.mjs';
import { trace } from '../build/record.mjs';
import { tree } from '../.vitepress/theme/home/trees.mjs';
import { unpacked } from '../.vitepress/theme/player/costs.mjs';
import { runningCosts } from '../.vitepress/theme/player/measures.mjs';
import { Playback } from '../.vitepress/theme/player/playback.mjs';
import { Browser, seriousFaults } from './browser.mjs';
import { FIRST_RESULT_MS } from './lab_page.mjs';
import { PROGRAMS } from './programs.mjs';

const browser = new Browser();

/** Which lanes of which warps do what to which items: everything that the pair shows. */
function deeds({ steps }) {
    return steps.map(({ kind, wide, groups }) => [
        kind,
        wide,
        groups.map(({ b, w, a, lanes, at }) => [b, w, a, lanes && unpacked(lanes), at && unpacked(at)]),
    ]);
}

// Chapter 3's blocks have 512 threads.
for (const [stage, n] of [
    ['sequential', 512],
    ['coalesced', 4096],
]) {
    test(`the front page's ${stage} does what the lab records of the kernel`, async () => {
        const words = ['--faults', '--stage', stage, '--n', String(n), '--input', 'random'];
        const text = await trace(path.join(PROGRAMS, 'ch03_reduce_optimized_lab'), words);
        const recorded = compileTrace(text, () => undefined);
        const made = tree(stage, n);
        assert.deepEqual(deeds(made), deeds(recorded));
        const [mine, theirs] = [made, recorded].map((each) => new Playback(each));
        assert.deepEqual(runningCosts(mine, 'wavefronts'), runningCosts(theirs, 'wavefronts'));
        assert.deepEqual(mine.use.at(-1), theirs.use.at(-1));
    });
}

for (const [width, colorScheme] of [
    [390, 'light'],
    [1440, 'dark'],
]) {
    test(`at ${width} pixels: a sentence, two buttons, the stairs, the pair, three readers`, async () => {
        const page = await browser.page('', { width, colorScheme });
        assert.match(await page.locator('.lead').innerText(), /^A CUDA C\+\+ tutorial: [^.]*\.$/);
        assert.deepEqual(await page.locator('.home-buttons a').allInnerTexts(), [
            'Try a kernel now',
            'Start on your machine: two commands',
        ]);
        const names = await page.locator('.flight-head a').allInnerTexts();
        assert.deepEqual(
            names,
            CHAPTERS.map((chapter) => `${chapter.number} ${chapter.title}`),
        );
        const items = (await page.locator('.vp-doc li strong').allInnerTexts()).map((each) => each.trim());
        assert.deepEqual(items, ['Students', 'Teachers', 'Engineers']);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await seriousFaults(page), []);
        assert.deepEqual(page.faults, []);
    });
}

test('the pair plays at once; its slider changes the items; it stops', async () => {
    const page = await browser.page('');
    const cost = page.locator('.live-facts b').first();
    await page.waitForFunction(() => Number(document.querySelector('.live-facts b').innerText) > 20);
    const sum = page.locator('.live-sum');
    const totals = async () => (await sum.innerText()).match(/\d+(?= wavefronts|\. A row)/g);
    const before = await totals();
    await page.getByRole('slider', { name: 'Items' }).fill('8');
    await page.waitForFunction(() =>
        /the same 256 items/.test(document.querySelector('.live-sum').innerText),
    );
    assert.notDeepEqual(await totals(), before);
    assert.equal(await page.locator('.live-pair .warp').count(), 9);
    await page.getByRole('button', { name: 'Pause' }).click();
    const shown = await cost.innerText();
    await page.waitForTimeout(900);
    assert.equal(await cost.innerText(), shown);
    assert.deepEqual(page.faults, []);
});

test('the pair is still for readers who want little motion', async () => {
    const page = await browser.page('', { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const shown = await page.locator('.live-facts').allInnerTexts();
    await page.waitForTimeout(900);
    assert.deepEqual(await page.locator('.live-facts').allInnerTexts(), shown);
});

test('a button leads to the two commands', async () => {
    const page = await browser.page('');
    await page.getByRole('link', { name: 'Start on your machine' }).click();
    await page.waitForURL(/#on-your-machine$/);
    assert.deepEqual(page.faults, []);
});

for (const width of [1440, 390]) {
    test(`at ${width} pixels, Try a kernel now shows counts, and one change is a press away`, async () => {
        const page = await browser.page('', { width });
        await page.getByRole('link', { name: 'Try a kernel now' }).click();
        const load = page
            .locator('.kernel-counts', { hasText: 'transpose_tiled_kernel' })
            .locator('tbody tr', { hasText: 'shared load' });
        await load.waitFor();
        assert.ok(!/times the minimum/.test(await load.innerText()));
        await page.getByRole('button', { name: 'remove the padding' }).click();
        // The compiler is downloaded first.
        await load.filter({ hasText: 'times the minimum' }).waitFor({ timeout: FIRST_RESULT_MS });
        await page.reload();
        // The change was made to a copy, which is still there.
        await page.locator('.cm-content', { hasText: 'tile[kTile][kTile];' }).waitFor();
        assert.deepEqual(page.faults, []);
    });
}

test('no width scrolls sideways: small phones, and tablets held upright', async () => {
    for (const width of [320, 375, 768, 800, 834, 1024]) {
        const page = await browser.page('', { width });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}`);
        await browser.close(page);
    }
});
