// Every page, in both widths and themes, in one visit: no errors, no requests to other hosts, accessible to everybody.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { CHAPTERS, OUT, SITE, filesIn } from '../build/places.mjs';
import { pageOf, texts } from '../build/texts.mjs';
import { CHANGED, inTurn } from '../page_lab/tests/turn.mjs';
import { Browser, axeFaults } from './browser.mjs';
import { LANES, Lanes, resize } from './lanes.mjs';
import { built } from './programs.mjs';

const WEIGHT = 600 * 1024;
/** Limits for a first visit, from a server that compresses nothing. */
const TRANSFER = 700 * 1000;
/** GitHub Pages accepts 1 GB, Cloudflare Pages no file above 25 MiB; and people copy the site to a USB stick. */
const SITE_BYTES = 150e6;
const FILE_BYTES = 25 * 1024 * 1024;
const FIRST_PAINT_MS = 1500;

const browser = new Browser();
const lanes = new Lanes(browser);

const htmlOf = (text) => pageOf(text).replace(/\.md$/, '.html');
const PAGES = [...texts().map(htmlOf), 'index.html', 'play.html', 'map.html'];
const SOURCES = CHAPTERS.map(({ folder }) => `${folder}/main.cu.html`);

/** Nothing is wider than the window: tables and code scroll by themselves. */
async function overflow(page) {
    return page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return [];
        const wide = [...document.querySelectorAll('.VPContent *')]
            .filter((each) => each.getBoundingClientRect().right > width + 1)
            .slice(0, 3)
            .map((each) => each.outerHTML.slice(0, 120));
        return [`the page is ${document.documentElement.scrollWidth} pixels wide`, ...wide];
    });
}

/** Faults of a page as it is shown now. */
async function check(tab, name, { width, colorScheme }, withAxe) {
    const isDark = await tab.evaluate(() => document.documentElement.classList.contains('dark'));
    assert.equal(isDark, colorScheme === 'dark', `${name}: the theme follows the system`);
    assert.deepEqual(await overflow(tab), [], `${name} at ${width} pixels`);
    if (withAxe) assert.deepEqual(await axeFaults(tab), [], `${name}, ${colorScheme}`);
    assert.deepEqual(tab.faults, [], `${name} at ${width} pixels`);
}

/** What a first visit transfers. */
function checkTransfer(name, sent) {
    const sum = sent.reduce((bytes, file) => bytes + file.bytes, 0);
    assert.ok(sum > 100_000 && sum <= TRANSFER, `${name}: ${sum} bytes`);
    const scripts = sent.filter((file) => /\.md\.[\w-]+(?:\.lean)?\.js$/.test(file.name));
    assert.equal(scripts.length, 1, `${name}: ${scripts.map((file) => file.name)}`);
    const early = name === 'play.html' ? /localSearchIndex/ : /localSearchIndex|^traces/; // it plays at once
    const found = sent.filter((file) => early.test(file.name)).map((file) => file.name);
    assert.deepEqual(found, [], `${name}: before anybody asked`);
    if (!CHAPTERS.some(({ folder }) => name === `${folder}/index.html`)) return;
    const weight = sent
        .map((file) => zlib.gzipSync(fs.readFileSync(path.join(OUT, file.name))).length)
        .reduce((all, each) => all + each, 0);
    assert.ok(weight > 10_000 && weight <= WEIGHT, `${name}: ${weight} bytes compressed`);
}

test('there are pages', () => {
    assert.ok(PAGES.length > 30, `${PAGES.length} pages`);
    for (const name of [...PAGES, ...SOURCES]) assert.ok(fs.existsSync(path.join(OUT, name)), name);
});

const changed = new Set(
    texts()
        .filter((text) => CHANGED.has(text))
        .map(htmlOf),
);
/** Looked at most closely: what was changed, and a third of the pages each day. */
const CLOSELY = new Set(inTurn(PAGES, 3, (name) => changed.has(name)));

// A text is one load and a window that changes. axe-core takes longer than all of this, and few faults come
// only from a page that is loaded on a phone: both in turn.
describe('pages', { concurrency: LANES }, () => {
    for (const [at, name] of PAGES.entries()) {
        const isChapter = /^ch\d\d_\w+\/\w+\.html$/.test(name);
        test(`page ${name}`, () =>
            lanes.visit(async (tab, go) => {
                const [first, second] = at % 2 ? ['dark', 'light'] : ['light', 'dark'];
                const desk = { width: 1440, colorScheme: first };
                const phone = { width: 360, colorScheme: second };
                const sent = await go(name, desk);
                await tab.waitForLoadState('networkidle');
                checkTransfer(name, sent);
                await check(tab, name, desk, CLOSELY.has(name));
                if (CLOSELY.has(name)) await go(name, phone);
                else await resize(tab, phone);
                await check(tab, name, phone, isChapter && CLOSELY.has(name));
            }));
    }
    for (const name of SOURCES) {
        test(`source ${name}: numbered lines, at both widths`, () =>
            lanes.visit(async (tab, go) => {
                const phone = { width: 360, colorScheme: 'dark' };
                const sent = await go(`${name}#L12`, phone);
                await tab.waitForLoadState('networkidle');
                checkTransfer(name, sent);
                await check(tab, name, phone, false);
                assert.match(await tab.locator('#L12').innerText(), /^12/);
            }));
    }
});

test('the site is at most 150 MB, no file is above 25 MiB, and none is there twice', () => {
    const files = filesIn(OUT).map((name) => ({ name, bytes: fs.statSync(name).size }));
    const sum = files.reduce((all, { bytes }) => all + bytes, 0);
    assert.ok(sum > 1e6 && sum <= SITE_BYTES, `${sum} bytes`);
    assert.deepEqual(
        files.filter(({ bytes }) => bytes > FILE_BYTES),
        [],
    );
    const names = new Set(files.map(({ name }) => name));
    assert.deepEqual(
        [...names].filter((name) => names.has(`${name}.gz`)),
        [],
    );
});

test('the script of a page comes when its link is pointed at, the search index when search is opened', async () => {
    const page = await browser.page('docs/start.html');
    await page.waitForLoadState('networkidle');
    const asked = (pattern) => page.waitForRequest((request) => pattern.test(request.url()));
    const script = asked(/docs_glossary\.md\..*\.js$/);
    await page.locator('.VPNavBarMenu a[href$="glossary.html"]').hover();
    await script;
    const index = asked(/localSearchIndex/);
    await page.locator('.VPNavBarSearch button').first().click();
    await index;
    assert.deepEqual(page.faults, []);
});

test('the first paint comes within 1.5 s', async () => {
    for (const { folder } of CHAPTERS) {
        const times = [];
        const isQuick = (time) => time <= FIRST_PAINT_MS;
        for (let i = 0; i < 3 && times.filter(isQuick).length < 2; ++i) {
            const page = await browser.page(`${folder}/`);
            const paint = await page.evaluate(
                () =>
                    new Promise((done) => {
                        new PerformanceObserver((list) => {
                            const found = list.getEntriesByName('first-contentful-paint')[0];
                            if (found) done(found.startTime);
                        }).observe({ type: 'paint', buffered: true });
                    }),
            );
            times.push(paint);
            await browser.close(page);
        }
        const text = `${folder}: ${times.map(Math.round).join(', ')} ms`;
        assert.ok(times.filter(isQuick).length === 2, text);
    }
});

test('without JavaScript the text is read and links lead on', async () => {
    const page = await browser.page('ch02_reduce_baseline/', { javaScriptEnabled: false });
    assert.match(await page.locator('h1').innerText(), /^Chapter 2/);
    assert.ok((await page.locator('.vp-doc').innerText()).includes('This is divergence'));
    await page.locator('.vp-doc a[href*="main.cu.html#L"]').first().click();
    await page.waitForURL(/main\.cu\.html#L\d+$/);
});

for (const missing of ['nothing.html', 'docs/nothing/at/all.html']) {
    test(`an address that does not exist says so, and leads home: ${missing}`, async () => {
        const page = await browser.page(missing);
        await page.getByText('404').first().waitFor();
        assert.match(await page.locator('body').evaluate((body) => getComputedStyle(body).fontFamily), /\w/);
        const styles = await page.evaluate(() => document.styleSheets.length);
        assert.ok(styles > 0, 'the page has the style of the book');
        await page.getByRole('link', { name: 'to the front page' }).click();
        await page.getByRole('heading', { name: 'Bubbles to Bandwidth', level: 1 }).waitFor();
        assert.equal(page.url().replace(/index\.html$/, ''), browser.site.address);
        assert.deepEqual(
            page.faults.filter((fault) => !fault.includes('404')),
            [],
        );
    });
}

test('from a folder, without a server, the text is read and links lead on', async () => {
    const page = await browser.page('');
    await page.goto(`file://${OUT}/ch03_reduce_optimized/index.html`);
    assert.match(await page.locator('h1').innerText(), /^Chapter 3/);
    await page.locator('.vp-doc a[href*="glossary.html"]').first().click();
    assert.match(await page.locator('h1').innerText(), /^Glossary/);
});

test('search finds a stage by its name', async () => {
    const page = await browser.page('');
    await page.locator('.VPNavBarSearch button').first().click();
    await page.locator('.VPLocalSearchBox input').fill('bitonic_registers');
    const first = page.locator('.VPLocalSearchBox .result').first();
    await first.waitFor();
    assert.match(await page.locator('.VPLocalSearchBox .results').innerText(), /bitonic_registers/);
    await first.click();
    await page.waitForURL(/ch05_merge_bitonic/);
    assert.deepEqual(page.faults, []);
});

test('search forgives a letter: one wrong, one missing, one too many, two exchanged', async () => {
    const page = await browser.page('');
    await page.locator('.VPNavBarSearch button').first().click();
    for (const [typed, meant] of [
        ['shufle', 'shuffle'],
        ['coalesxed', 'coalesced'],
        ['occuppancy', 'occupancy'],
        ['wapp', 'warp'],
        ['bitonci', 'bitonic'],
        ['shraed', 'shared'],
    ]) {
        await page.locator('.VPLocalSearchBox input').fill(typed);
        await page
            .locator('.VPLocalSearchBox .result mark', { hasText: new RegExp(meant, 'i') })
            .first()
            .waitFor();
    }
});

test('search finds an example by its problem', async () => {
    const page = await browser.page('');
    await page.locator('.VPNavBarSearch button').first().click();
    for (const problem of ['matmul', 'transpose', 'histogram', 'scan', 'dot product', 'softmax', 'stencil']) {
        await page.locator('.VPLocalSearchBox input').fill(problem);
        await page.locator('.VPLocalSearchBox .result[href*="/docs/examples/"]').first().waitFor();
    }
});

test('with an address there are a sitemap, a card and links to edit', () => {
    const config = JSON.stringify(pathToFileURL(path.join(SITE, '.vitepress/config.mjs')));
    const code = `
        const { default: config } = await import(${config});
        const card = JSON.stringify(config.head);
        const head = config.transformHead({ pageData: { title: 'T', relativePath: 'ch02_reduce_baseline/index.md' } });
        const edit = config.themeConfig.editLink.pattern({ frontmatter: { text: 'docs/gpu.md' } });
        console.log(JSON.stringify({ sitemap: config.sitemap.hostname, head, edit, card }));`;
    const env = {
        ...process.env,
        TUTORIAL_SITE: 'https://example.org/book',
        TUTORIAL_REPOSITORY: 'https://github.com/someone/book',
    };
    const words = ['--input-type=module', '-e', code];
    const { sitemap, head, edit, card } = JSON.parse(execFileSync('node', words, { cwd: SITE, env }));
    assert.equal(sitemap, 'https://example.org/book/');
    assert.equal(edit, 'https://github.com/someone/book/edit/main/docs/gpu.md');
    const written = JSON.stringify(head);
    for (const part of ['og:title', '"https://example.org/book/card.png"', 'book/ch02_reduce_baseline/"'])
        assert.ok(written.includes(part), `${part} in ${written}`);
    assert.match(card, /summary_large_image/);
    const png = fs.readFileSync(path.join(OUT, 'card.png'));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
});

test('a term is explained on hover; a chapter leads on to its exercises; pages describe themselves', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    const term = page.locator('.vp-doc a[href*="glossary.html#"]').first();
    assert.match(await term.getAttribute('title'), /^[A-Z].{20,}/);
    assert.match(await page.locator('.pager-link.next').getAttribute('href'), /exercises\//);
    assert.match(await page.locator('.pager-link.prev').getAttribute('href'), /ch01_bubble\/exercises\//);
    const said = PAGES.map((name) => /<meta name="description" content="([^"]*)"/.exec(built(name))?.[1]);
    const shared = said.filter((each, i) => said.indexOf(each) !== i);
    // The front page has the book's own description, and so have pages that tests read as data.
    assert.ok(new Set(shared).size <= 1 && shared.length <= 8, shared.join('\n'));
});

test('on paper there is the text, without what is for screens', async () => {
    const page = await browser.page('ch02_reduce_baseline/');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.VPNav', '.VPSidebar', '.stage-player', '.VPDocFooter'])
        assert.equal(await page.locator(part).first().isVisible(), false, part);
    for (const part of ['h1', '.vp-doc pre', '.vp-doc table', '.vp-doc img'])
        assert.equal(await page.locator(part).first().isVisible(), true, part);
});

test('the reader chooses dark or light, and it stays', async () => {
    const page = await browser.page('', { colorScheme: 'light' });
    await page.getByRole('switch').first().click();
    await page.reload();
    assert.ok(await page.evaluate(() => document.documentElement.classList.contains('dark')));
});
