// The small pictures of "How a GPU works": dragged, they say what the hardware does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser, seriousFaults } from './browser.mjs';

let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.stop());

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
        await browser.close(page);
    });
}

test('the keyboard drags them, too', async () => {
    const page = await browser.page('docs/gpu.html');
    const slider = page.locator('.toy-banks').getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    assert.match(
        await page.locator('.toy-banks .toy-words').innerText(),
        /word 3 i\. A column is a bank: 1 wavefront\./,
    );
    await browser.close(page);
});
