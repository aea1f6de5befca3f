// Figures, code and tables in a real browser: numbers, full screen, cut-off content, touch targets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAPTERS } from '../build/places.mjs';
import { Browser } from './browser.mjs';

const browser = new Browser();

const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true };

test("every figure of a chapter has a number, an address and a caption, in the order of its pages' figures", async () => {
    for (const { folder, number } of CHAPTERS.slice(0, 3)) {
        const seen = [];
        for (const name of ['', 'fastest.html', 'results.html']) {
            if (name === 'fastest.html' && number === 2) continue;
            const page = await browser.page(`${folder}/${name}`);
            const all = await page
                .locator('.vp-doc figure:is(.figure, .result-chart)')
                .evaluateAll((figures) =>
                    figures.map((figure) => ({
                        id: figure.id,
                        link: figure.querySelector('figcaption a')?.getAttribute('href'),
                        caption: figure.querySelector('figcaption')?.textContent.replaceAll('\u00a0', ' '),
                    })),
                );
            for (const { id, link, caption } of all) {
                seen.push(/^Figure (\d+\.\d+) \S/.exec(caption)?.[1] ?? caption);
                assert.equal(link, `#${id}`);
                assert.equal(id, `figure-${seen.at(-1).replace('.', '-')}`);
            }
            const single = await page.locator('.vp-doc :not(figure) > a.picture').count();
            const charts = await page.locator('.result-chart a.picture').count();
            assert.equal(single, charts, `${folder}/${name}: pictures without a number`);
            await browser.close(page);
        }
        assert.ok(seen.length > 3, folder);
        assert.deepEqual(
            seen,
            seen.map((_, at) => `${number}.${at + 1}`),
        );
    }
});

test('a link to a figure leads to it', async () => {
    const page = await browser.page('ch03_reduce_optimized/#figure-3-3');
    await page.waitForFunction(() => {
        const { top } = document.querySelector('#figure-3-3').getBoundingClientRect();
        return top > 0 && top < 400;
    });
});

test('on a telephone a tap opens a figure full screen, turned if it is wide; a tap or Escape closes it', async () => {
    const page = await browser.page('ch02_reduce_baseline/', PHONE);
    await page.waitForFunction(() => document.querySelector('.stage-player.is-ready'));
    const link = page.locator('.figure a.picture').first();
    const small = await link.locator('img').boundingBox();
    await link.tap();
    const dialog = page.locator('.picture-dialog');
    const large = await dialog.locator('img').boundingBox();
    assert.ok(large.x >= 0 && large.y >= 0 && large.x + large.width <= 390 && large.y + large.height <= 844);
    assert.ok(large.height > 1.4 * 342 && large.height > small.width, `${large.height} pixels long`);
    const close = await dialog.getByRole('button', { name: 'Close the picture' }).boundingBox();
    assert.ok(close.width >= 44 && close.height >= 44);
    await dialog.tap({ position: { x: 30, y: 800 } });
    await dialog.waitFor({ state: 'detached' });
    await link.tap();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(page.url().endsWith('/ch02_reduce_baseline/'), true);
    assert.deepEqual(page.faults, []);
});

test('what is cut at the right fades there, until it is scrolled to its end', async () => {
    const page = await browser.page('ch03_reduce_optimized/', { ...PHONE, reducedMotion: 'reduce' });
    const states = await page.evaluate(async () => {
        const found = [];
        for (const kind of ['table', 'a.picture', 'pre']) {
            const all = [...document.querySelectorAll(`.vp-doc ${kind}`)].filter(
                (each) => each.offsetParent && !each.closest('.strip, .result-chart'),
            );
            const isCut = (each) => each.scrollWidth > each.clientWidth + 2;
            const frame = () =>
                new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const mask = (each) => each && getComputedStyle(each).maskImage;
            const cut = all.find(isCut);
            const whole = all.find((each) => !isCut(each));
            cut.scrollIntoView();
            await frame();
            const before = mask(cut);
            const rest = mask(whole) ?? 'none';
            cut.scrollLeft = cut.scrollWidth;
            await frame();
            found.push({ kind, before: before.includes('gradient'), after: mask(cut), rest });
        }
        return found;
    });
    for (const { kind, before, after: end, rest } of states) {
        assert.ok(before, `${kind} fades`);
        assert.equal(end, 'none', `${kind} at its end`);
        assert.equal(rest, 'none', `${kind} that is not cut`);
    }
});

test('no code of a chapter is cut next to a white column, and no figure is smaller than it was drawn', async () => {
    const cut = [];
    for (const { folder } of CHAPTERS) {
        const page = await browser.page(`${folder}/`);
        cut.push(
            ...(await page.evaluate(() =>
                [...document.querySelectorAll('.vp-doc div[class*=language-]:not(.language-text) pre')]
                    .filter((each) => each.scrollWidth > each.clientWidth + 1)
                    .map((each) => `${location.pathname}: ${each.scrollWidth} in ${each.clientWidth}`),
            )),
            ...(await page.evaluate(() =>
                [...document.querySelectorAll('.vp-doc .figure img')]
                    .filter((each) => each.complete && each.width < each.naturalWidth - 1)
                    .map((each) => `${each.src}: ${each.width} of ${each.naturalWidth}`),
            )),
        );
        await browser.close(page);
    }
    assert.deepEqual(cut, []);
});

test('a table of a text is cut only if it has more than a dozen columns', async () => {
    const names = ['docs/faults.html', 'docs/devices.html', 'docs/sources.html', 'docs/teaching.html'];
    for (const { folder } of CHAPTERS) names.push(`${folder}/`, `${folder}/results.html`);
    const cut = [];
    for (const name of names) {
        const page = await browser.page(name);
        const columns = await page.evaluate(() =>
            [...document.querySelectorAll('.vp-doc table')]
                .filter((each) => !each.closest('.vp-raw') && each.scrollWidth > each.clientWidth + 1)
                .map((each) => each.rows[0].cells.length),
        );
        cut.push(...columns.filter((count) => count <= 12).map((count) => `${name}: ${count} columns`));
        await browser.close(page);
    }
    assert.deepEqual(cut, []);
});

test('long names break after an underscore, in headings and tables; options nowhere; words stay apart', async () => {
    const page = await browser.page('docs/faults.html', PHONE);
    const lines = await page.evaluate(() =>
        [...document.querySelectorAll('.vp-doc :is(h3, h4) code, .vp-doc td code')].flatMap((code) => {
            const texts = [...code.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE);
            const range = document.createRange();
            const rows = (each) => (range.selectNodeContents(each), range.getClientRects().length);
            return texts.filter((each) => /^\w+$/.test(each.data) && rows(each) > 1).map(({ data }) => data);
        }),
    );
    assert.deepEqual(lines, [], 'broken inside a word');
    const option = page.locator('.vp-doc code .whole').first();
    assert.equal(await option.evaluate((each) => getComputedStyle(each).whiteSpace), 'nowrap');
    const inText = page.locator('.vp-doc p wbr').first();
    assert.equal(await inText.evaluate((each) => getComputedStyle(each).display), 'none');
    const chapter = await browser.page('ch03_reduce_optimized/');
    assert.match(await chapter.locator('.vp-doc').innerText(), /At n = 226 coalesced is/);
});

test('links and buttons that stand alone have room for a finger', async () => {
    for (const name of ['ch03_reduce_optimized/', 'docs/gpu.html', 'docs/results/', 'docs/faults.html']) {
        const page = await browser.page(name, PHONE);
        await page.waitForLoadState('networkidle');
        const small = await page.evaluate(() => {
            const alone =
                '.vp-doc :is(button, select, summary, .try-in-page a, .strip-play a, .excerpt-source a, figcaption a)';
            return [...document.querySelectorAll(alone)]
                .filter((each) => each.offsetParent && getComputedStyle(each).visibility !== 'hidden')
                .map((each) => [each, each.getBoundingClientRect()])
                .filter(([, { height }]) => height > 0 && height < 43.5)
                .map(([each, { height }]) => `${each.outerHTML.slice(0, 100)}: ${height}`);
        });
        assert.deepEqual(small, [], name);
        await browser.close(page);
    }
});

test('formulas are MathML, powers are raised, and searching finds them as they are typed', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    assert.ok((await page.locator('.formula math msup').count()) >= 4);
    assert.equal((await page.locator('.vp-doc td sup', { hasText: /^20$/ }).count()) > 0, true);
    // Code, including inline code, stays as it is typed.
    const prose = await page.locator('.vp-doc > div').evaluate((text) => {
        const copy = text.cloneNode(true);
        for (const code of copy.querySelectorAll('code, .stage-player, .result-chart')) code.remove();
        return copy.textContent;
    });
    assert.doesNotMatch(prose, /\d us\b|2\^\d/);
    assert.match(prose, /\d\u00a0µs/);
    await page.locator('.VPNavBarSearch button').first().click();
    await page.locator('.VPLocalSearchBox input').fill('the bound derived');
    await page.locator('.VPLocalSearchBox .result[href*="ch02"]').first().waitFor();
});

test('all six chapters are in the bar at the top', async () => {
    const page = await browser.page('docs/glossary.html');
    await page.locator('.VPNavBarMenuGroup button').hover();
    for (const { folder } of CHAPTERS)
        await page.locator(`.VPNavBarMenuGroup a[href$="${folder}/"]`).waitFor();
});
