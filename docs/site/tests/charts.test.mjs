// The charts in a real browser: every number of the results is there, as a dot and in the table.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { textOf } from '../build/places.mjs';
import { results } from '../build/results.mjs';
import { duration, packRows, unpackRows } from '../.vitepress/theme/charts/quantities.mjs';
import { Browser } from './browser.mjs';

const browser = new Browser();

async function openChart(page) {
    await page.locator('.result-chart').first().scrollIntoViewIfNeeded();
    const chart = page.locator('.chart-view').first();
    await chart.locator('svg [aria-label=dot]').first().waitFor({ state: 'attached' });
    return chart;
}

test('rows are the same when they have been packed and unpacked', () => {
    for (const [chapter, devices] of Object.entries(results())) {
        assert.ok(devices.length > 0, chapter);
        const packed = JSON.stringify(devices.map(packRows));
        assert.deepEqual(JSON.parse(packed).map(unpackRows), JSON.parse(JSON.stringify(devices)));
        assert.ok(3 * packed.length < JSON.stringify(devices).length, chapter);
    }
});

test('chapter 3: dots, table, stages, devices', async () => {
    const device = results().ch03.at(-1);
    const rows = device.rows.filter(({ setting }) => setting === 'random');
    const page = await browser.page('ch03_reduce_optimized/');
    const chart = await openChart(page);
    const points = new Set(rows.map(({ stage, n }) => `${stage} ${n}`)).size;
    // As in the picture: compared with the library, and with a unit for n.
    assert.equal(await chart.getByLabel('Quantity', { exact: true }).inputValue(), 'library');
    assert.match(await chart.locator('svg').first().textContent(), /n, the number of floats/);
    await chart.getByLabel('Quantity', { exact: true }).selectOption('time');
    await page.waitForFunction(
        (count) => document.querySelectorAll('.chart-view svg [aria-label=dot] circle').length === count,
        points,
    );
    const devices = await chart.getByLabel('Device', { exact: true }).locator('option').allInnerTexts();
    assert.deepEqual(devices, ['all devices', ...results().ch03.map((each) => each.device)]);
    await chart.getByRole('button', { name: 'best', exact: true }).click();
    const best = new Set(rows.filter(({ stage }) => stage === 'best').map(({ n }) => n)).size;
    await page.waitForFunction(
        (count) => document.querySelectorAll('.chart-view svg [aria-label=dot] circle').length === count,
        points - best,
    );
    await chart.getByRole('button', { name: 'best', exact: true }).click();
    await chart.getByLabel('Quantity', { exact: true }).selectOption('time');
    await chart.getByRole('button', { name: 'table' }).click();
    const texts = await chart.locator('td').allInnerTexts();
    assert.equal(texts.filter(Boolean).length, points);
    const row = rows.findLast(({ stage, n }) => stage === 'best' && n === 2 ** 26);
    const spread = row.low === null ? '' : `\n${duration(row.low)} to ${duration(row.high)}`;
    const cell = duration(row.time) + spread;
    assert.ok(texts.includes(cell), `${cell} is not one of ${texts.slice(-9).join('; ')}`);
    assert.deepEqual(page.faults, []);
});

test("a chapter's chart has its picture's stages in colour, with their names, and the others thin", async () => {
    const picture = textOf('ch05_merge_bitonic/figures/time.svg');
    const story = /data-story="([^"]+)"/.exec(picture)[1].split(',');
    const page = await browser.page('ch05_merge_bitonic/');
    const chart = await openChart(page);
    await chart.getByLabel('Quantity', { exact: true }).selectOption('time');
    await chart.locator('.line-names text', { hasText: 'odd_even' }).waitFor({ state: 'attached' });
    const names = await chart.locator('.line-names text').allTextContents();
    assert.deepEqual(
        story.filter((stage) => !names.includes(stage)),
        [],
    );
    const libraries = results()
        .ch05.at(-1)
        .rows.filter(({ kind }) => kind === 'library')
        .map(({ stage }) => stage);
    for (const name of names) assert.ok([...story, ...libraries].includes(name), name);
    // Only these have a button; the others on demand.
    const toggles = chart.locator('.stage-toggle');
    const named = await toggles.allInnerTexts();
    assert.deepEqual(
        story.filter((stage) => !named.includes(stage)),
        [],
    );
    for (const name of named) assert.ok([...story, ...libraries].includes(name), name);
    await chart.getByRole('button', { name: /^all \d+ stages$/, expanded: false }).click();
    assert.ok((await toggles.count()) > named.length + 5);
    assert.ok((await chart.locator('svg [aria-label=curve][stroke-width="0.8"] path').count()) > 5);
    assert.deepEqual(page.faults, []);
});

test('no line leaves a chart without a word', async () => {
    const page = await browser.page('ch01_bubble/');
    const chart = await openChart(page);
    assert.equal(await chart.getByLabel('Quantity', { exact: true }).inputValue(), 'time');
    assert.doesNotMatch(await chart.locator('figcaption').innerText(), /above the picture/);
    await chart.getByLabel('Quantity', { exact: true }).selectOption('ceiling');
    await chart.locator('figcaption', { hasText: /above the picture: .*cub_radix \([\d,]+ %\)/ }).waitFor();
});

test("a reader's own GPU is one more device, in chart and table", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tutorial-results-'));
    const all = textOf('docs/results/h200/ch04.csv');
    for (const [name, text] of [
        ['h200', all],
        ['mine', all.replaceAll('NVIDIA H200', 'My GPU').split('\n').slice(0, 40).join('\n')],
    ]) {
        fs.mkdirSync(path.join(folder, name));
        fs.writeFileSync(path.join(folder, name, 'ch04.csv'), text);
    }
    const both = results(folder).ch04;
    fs.rmSync(folder, { recursive: true });
    assert.deepEqual(
        both.map(({ device }) => device),
        ['NVIDIA H200', 'My GPU'],
    );
    const page = await browser.page('');
    await page.route('**/results/ch04.json', (route) => route.fulfill({ json: both.map(packRows) }));
    await page.goto(`${browser.site.address}ch04_squaresum/`);
    const chart = await openChart(page);
    await chart.getByLabel('Device', { exact: true }).selectOption('all devices');
    // Both devices: the second one's lines are dashed.
    assert.match(await chart.locator('figcaption').innerText(), /NVIDIA H200.*dashed: My GPU/);
    assert.ok((await chart.locator('svg [aria-label=curve][stroke-dasharray]').count()) > 0);
    await chart.getByLabel('Quantity', { exact: true }).selectOption('time');
    await chart.getByLabel('Device', { exact: true }).selectOption('mine');
    await chart.locator('figcaption', { hasText: 'My GPU' }).waitFor();
    await chart.getByRole('button', { name: 'table' }).click();
    const texts = (await chart.locator('td').allInnerTexts()).filter(Boolean);
    const setting = (await chart.locator('figcaption').innerText()).split('; ').at(-1);
    const rows = both[1].rows.filter((row) => row.setting === setting);
    assert.equal(texts.length, new Set(rows.map(({ stage, n }) => `${stage} ${n}`)).size);
    assert.deepEqual(page.faults, []);
});

test('every chapter has a chart of each quantity', async () => {
    const page = await browser.page('docs/results/');
    for (const chapter of Object.keys(results())) {
        await page.getByLabel('Chapter', { exact: true }).selectOption(chapter);
        for (const quantity of ['time', 'ceiling']) {
            await page.getByLabel('Quantity', { exact: true }).selectOption(quantity);
            await page
                .locator('.chart-view svg [aria-label=dot] circle')
                .first()
                .waitFor({ state: 'attached' });
            const count = await page.locator('.chart-view svg [aria-label=dot] circle').count();
            assert.ok(count > 5, `${chapter}, ${quantity}: ${count} dots`);
        }
    }
    assert.deepEqual(page.faults, []);
});

for (const colorScheme of ['light', 'dark']) {
    test(`${colorScheme}: no two stages have colours alike, and each line has its name at its end`, async () => {
        const page = await browser.page('docs/results/', { colorScheme });
        for (const chapter of Object.keys(results())) {
            await page.getByLabel('Chapter', { exact: true }).selectOption(chapter);
            await page.locator('.chart-view .line-names text').first().waitFor();
            const lines = await page.locator('.chart-view').evaluate((chart) => {
                const pen = document.createElement('canvas').getContext('2d');
                return [...chart.querySelectorAll('.line-names text')].map((name) => {
                    pen.fillStyle = getComputedStyle(name).fill;
                    pen.fillRect(0, 0, 1, 1);
                    const box = name.getBoundingClientRect();
                    const frame = chart.getBoundingClientRect();
                    return {
                        name: name.textContent,
                        colour: [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)],
                        y: box.y,
                        isInside: box.right <= frame.right && box.bottom <= frame.bottom,
                    };
                });
            });
            const toggles = await page.locator('.stage-toggles button').allInnerTexts();
            assert.ok(lines.length > 3 && lines.every(({ name }) => toggles.includes(name)), chapter);
            assert.deepEqual(
                lines.filter(({ isInside }) => !isInside),
                [],
                chapter,
            );
            lines.forEach((one, i) =>
                lines.slice(i + 1).forEach((other) => {
                    const pair = `${chapter}: ${one.name} ${one.colour}, ${other.name} ${other.colour}`;
                    assert.ok(Math.abs(one.y - other.y) >= 12, `${pair}: names upon each other`);
                    const apart = Math.hypot(...one.colour.map((each, k) => each - other.colour[k]));
                    assert.ok(apart > 30, `${pair}: ${apart}`);
                }),
            );
        }
    });
}

test('the results page begins with what was found, and ends with the files', async () => {
    const page = await browser.page('docs/results/');
    await page.locator('.result-explorer').waitFor();
    assert.deepEqual(
        (await page.locator('.vp-doc h2').allInnerTexts()).map((each) => each.replaceAll(/[\n\u200b]/g, '')),
        ['What was found', 'The results as charts', 'The files'],
    );
});

test('a point that is hovered tells its numbers', async () => {
    const page = await browser.page('ch04_squaresum/');
    const chart = await openChart(page);
    const dot = chart.locator('svg [aria-label=dot] circle').last();
    await dot.scrollIntoViewIfNeeded();
    const box = await dot.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const tip = chart.locator('svg [aria-label=tip]');
    await page.waitForFunction(() =>
        /n = 2[⁰¹²³]/.test(document.querySelector('.chart-view svg [aria-label=tip]').textContent),
    );
    assert.match(await tip.textContent(), /NVIDIA|GPU/);
});
