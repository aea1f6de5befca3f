// The small pictures of "How a GPU works": dragged, they say what the hardware does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf, mergePathCut, rounds } from '../.vitepress/theme/toys/algorithms.mjs';
import { bitonicSteps, compareExchange } from '../.vitepress/theme/toys/network.mjs';
import { readTiles, tileOf } from '../.vitepress/theme/toys/tiles.mjs';
import { Browser, seriousFaults } from './browser.mjs';

const browser = new Browser();

const SAID = [
    ['block', { 'threads in the block': 200 }, /200 threads: 7 warps\. 24 lanes of the last one never work/],
    ['block', { 'threads in the block': 1024 }, /1,024 threads: 32 warps\. Every lane has a thread/],
    ['divergence', { k: 1 }, /one pass with 32 lanes/],
    ['divergence', { k: 4 }, /Two passes.*8 of 32 lanes work in the first, 24 in the second/],
    ['banks', { stride: 1 }, /Lane i reads word i\. A column is a bank: 1 wavefront\./],
    ['banks', { stride: 2 }, /2 wavefronts, where 1 would do/],
    ['banks', { stride: 32 }, /32 wavefronts/],
    ['banks', { stride: 33 }, /1 wavefront\./],
    ['banks', { stride: 0 }, /Lane i reads word 0\. A column is a bank: 1 wavefront\./],
    ['sectors', { stride: 1, offset: 0 }, /4 sectors, 128 bytes moved, of which 100 %/],
    [
        'sectors',
        { stride: 1, offset: 1 },
        /Lane i reads word 1 \+ i: 5 sectors, 160 bytes moved, of which 80 %/,
    ],
    ['sectors', { stride: 2, offset: 0 }, /8 sectors, 256 bytes moved, of which 50 %/],
    [
        'sectors',
        { stride: 8, offset: 3 },
        /Lane i reads word 3 \+ 8 i: 32 sectors, 1,024 bytes moved, of which 13 %/,
    ],
    ['sectors', { stride: 0, offset: 0 }, /1 sector, 32 bytes moved/],
];

for (const [width, colorScheme] of [
    [1440, 'light'],
    [390, 'dark'],
]) {
    test(`four pictures at ${width} pixels, each with its numbers`, async () => {
        const page = await browser.page('docs/gpu.html', { width, colorScheme });
        await page.locator('.toy-inputs').first().waitFor();
        assert.equal(await page.locator('.toy').count(), 4);
        for (const [kind, values, said] of SAID) {
            const toy = page.locator(`.toy-${kind}`);
            for (const [name, value] of Object.entries(values))
                await toy.getByRole('slider', { name: new RegExp(`\\b${name}`) }).fill(String(value));
            assert.match(await toy.locator('.toy-words').innerText(), said);
        }
        const lanes = page.locator('.toy-block .lane-works');
        assert.equal(await lanes.count(), 1024);
        const used = await page.locator('.toy-sectors .cell.is-load').count();
        assert.equal(used, 1);
        assert.equal(await page.locator('.toy-sectors .cell.in-sector').count(), 8);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await seriousFaults(page), []);
        assert.deepEqual(page.faults, []);
    });
}

test('they can be dragged with the keyboard as well', async () => {
    const page = await browser.page('docs/gpu.html');
    const slider = page.locator('.toy-banks').getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    assert.match(
        await page.locator('.toy-banks .toy-words').innerText(),
        /word 3 i\. A column is a bank: 1 wavefront\./,
    );
});

/** Keys of `a` among the first of the merged runs; equal keys of `a` come first. */
function takenOfA(a, b, diagonal) {
    let i = 0;
    for (let d = 0; d < diagonal; ++d) if (i < a.length && (d - i >= b.length || !(b[d - i] < a[i]))) ++i;
    return i;
}

test('what the moving pictures show is what the algorithms do', () => {
    const random = (count, most) =>
        Array.from({ length: count }, () => Math.floor(Math.random() * most)).sort((x, y) => x - y);
    for (let turn = 0; turn < 200; ++turn) {
        const [a, b] = [random(turn % 9, 12), random((turn * 5) % 7, 12)];
        for (let diagonal = 0; diagonal <= a.length + b.length; ++diagonal)
            assert.equal(
                mergePathCut(a, b, diagonal).cut,
                takenOfA(a, b, diagonal),
                `${a} | ${b}: ${diagonal}`,
            );
    }
    assert.deepEqual(
        [4, 5, 9, 10, 30].map((key) => bucketOf(key, [5, 10, 20])),
        [0, 1, 1, 2, 3],
    );
    const keys = [3, 9, 1, 7, 8, 2, 9, 4];
    const found = rounds(keys, 2, 2);
    assert.deepEqual(
        found.map(({ passed }) => passed),
        [2, 1, 1, 1],
    );
    assert.deepEqual(found.at(-1).list, [9, 9]);
});

test('the network sorts all zeros and ones, and so all keys', () => {
    for (const n of [2, 4, 8, 16]) {
        const steps = bitonicSteps(n);
        for (let bits = 0; bits < 2 ** n; ++bits) {
            const keys = Array.from({ length: n }, (_, i) => (bits >> i) & 1);
            const sorted = steps.reduce((now, step) => compareExchange(now, step).keys, keys);
            assert.ok(
                sorted.every((key, i) => i === 0 || sorted[i - 1] <= key),
                `${n} keys, ${bits}`,
            );
        }
    }
});

test('tiles from a counter, or in fixed shares: each is read once, and the k largest keys are found', () => {
    const random = (below) => Math.floor(Math.random() * below);
    for (let turn = 0; turn < 300; ++turn) {
        const starts = Array.from({ length: 1 + random(6) }, () => random(20));
        const tiles = starts.length + random(40);
        const all = Array.from({ length: tiles }, (_, number) => tileOf(number, tiles, starts.length));
        assert.deepEqual(
            all.sort((x, y) => x - y),
            all.map((_, i) => i),
        );
        const k = 1 + random(3);
        const keys = Array.from({ length: tiles * 4 }, () => Math.random());
        const asked = { k, slots: k + 1 + random(3), tiles, starts };
        for (const hasCounter of [true, false]) {
            const { turns, best } = readTiles(keys, { ...asked, hasCounter });
            assert.equal(new Set(turns.map(({ tile }) => tile)).size, tiles);
            assert.equal(turns.length, tiles);
            assert.deepEqual(best, [...keys].sort((x, y) => y - x).slice(0, k), JSON.stringify(asked));
        }
    }
});

const MOVING = [
    ['ch05_merge_bitonic/', 'merge_path', /^The first 16 keys of the result are 8 of run a and 8 of run b/],
    [
        'ch05_merge_bitonic/',
        'network',
        /^Level i = 16, distance j = 1: \d of 8 pairs .* All keys are sorted\.$/,
    ],
    ['ch05_merge_bitonic/fastest.html', 'sample_sort', /of 32 keys/],
    ['ch06_topk/', 'threshold', /^\d of 8 keys pass in round 8; \d+ of 64 have passed/],
    [
        'ch06_topk/fastest.html',
        'tiles',
        /Everything is read at time \d+; with fixed shares it would be at \d+/,
    ],
];

test('pictures that move: by themselves when seen, and they can be stopped; still for who wants it still', async () => {
    for (const [name, kind, end] of MOVING) {
        const page = await browser.page(name, { width: 390, colorScheme: 'dark' });
        const toy = page.locator(`.toy-${kind}`);
        await toy.locator('.toy-play').waitFor();
        const words = toy.locator('.toy-words');
        const before = await words.innerText();
        await toy.evaluate((figure) => figure.scrollIntoView({ block: 'center' }));
        await toy.getByRole('button', { name: 'Pause' }).click();
        const paused = await words.innerText();
        assert.notEqual(paused, before, 'it has begun anew');
        await page.waitForTimeout(1600);
        assert.equal(await words.innerText(), paused);
        const slider = toy.getByRole('slider');
        await slider.fill(await slider.getAttribute('max'));
        assert.match(await words.innerText(), end);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await seriousFaults(page), []);
        await browser.close(page);

        const still = await browser.page(name, { reducedMotion: 'reduce' });
        const quiet = still.locator(`.toy-${kind}`);
        await quiet.locator('.toy-play').waitFor();
        await quiet.evaluate((figure) => figure.scrollIntoView({ block: 'center' }));
        const first = await quiet.locator('.toy-words').innerText();
        await still.waitForTimeout(1600);
        assert.equal(await quiet.locator('.toy-words').innerText(), first);
        await browser.close(still);

        const plain = await browser.page(name, { javaScriptEnabled: false });
        assert.ok(
            (await plain.locator(`.toy-${kind} svg :is(text, circle)`).count()) > 16,
            'a still picture',
        );
        await browser.close(plain);
    }
});
