// The Chinese pages: every text in two scripts, English anchors, the switch of languages, the search.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import {
    LANGUAGES,
    asPage,
    originalOf,
    pageIn,
    simplified,
    terms,
    translationOf,
    translations,
} from '../build/chinese.mjs';
import { meaningAt } from '../build/glossary.mjs';
import { OUT, ROOT } from '../build/places.mjs';
import { slug } from '../build/slug.mjs';
import { Browser, seriousFaults } from './browser.mjs';

let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.stop());

const TEXTS = translations();

/** The anchors of a text's headings. */
function anchorsOf(markdown) {
    const text = markdown.replace(/^(`{3,})[^]*?^\1/gm, '');
    return [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) =>
        slug(title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')),
    );
}

const htmlOf = (language, text) => pageIn(language, text).replace(/\.md$/, '.html');

test('a Chinese text has its English one, and a page in each script', () => {
    assert.ok(TEXTS.includes('docs/gpu.zh-Hant.md'), TEXTS.join(' '));
    assert.equal(pageIn('zh-Hant', 'README.zh-Hant.md'), 'zh-Hant/index.md');
    assert.equal(pageIn('zh-Hans', 'docs/gpu.zh-Hant.md'), 'zh-Hans/docs/gpu.md');
    for (const text of TEXTS) {
        assert.equal(translationOf(originalOf(text)), text);
        for (const { id } of LANGUAGES) assert.ok(fs.existsSync(path.join(OUT, htmlOf(id, text))), text);
    }
});

test('Simplified: the terms of the glossary, and the words of the mainland', () => {
    assert.ok(terms().length > 60, `${terms().length} terms`);
    for (const [from, to] of terms()) assert.equal(simplified(from), to);
    assert.equal(simplified('記憶體裡的「位元組」與 `a_b`'), '内存里的“字节”与 `a_b`');
});

test('a heading has the English anchor; above an old section there is a note', () => {
    const text =
        '# <a id="a"></a>一\n<!-- translates 00000000 -->\n\n## <a id="b"></a>`x`：二\n\n```\n# c\n```';
    assert.deepEqual(asPage(text, 'docs/x.zh-Hant.md', []), [
        '# 一 {#a}',
        '',
        '## `x`：二 {#b}',
        '',
        '```',
        '# c',
        '```',
    ]);
    const page = asPage(text, 'docs/x.zh-Hant.md', ['b']).join('\n');
    assert.match(page, /\{#b\}\n\n::: warning .*\[看英文版\]\(\.\/x\.md#b\)\n:::/);
});

test('a term says on hover what it means, in its script', () => {
    assert.match(meaningAt('warp'), /^32 consecutive threads/);
    assert.match(meaningAt('warp', 'zh-Hant'), /連續的 32 條執行緒/);
    assert.match(meaningAt('warps', 'zh-Hans'), /连续的 32 条线程/);
});

test('every Chinese page has the anchors of its English one', () => {
    for (const text of TEXTS) {
        const english = fs.readFileSync(path.join(ROOT, originalOf(text)), 'utf8');
        const wanted = anchorsOf(english);
        assert.ok(wanted.length > 0, text);
        for (const { id } of LANGUAGES) {
            const html = fs.readFileSync(path.join(OUT, htmlOf(id, text)), 'utf8');
            for (const anchor of wanted)
                assert.ok(html.includes(`id="${anchor}"`), `${htmlOf(id, text)} has no #${anchor}`);
            assert.match(html, new RegExp(`<html lang="${id}"`));
        }
    }
});

for (const { id } of LANGUAGES) {
    test(`${id}: pages at 1440 and 390 pixels, without faults; the switch keeps the place`, async () => {
        for (const [at, text] of TEXTS.entries()) {
            for (const width of [1440, 390]) {
                const colorScheme = (at + width) % 20 === 0 ? 'dark' : 'light';
                const page = await browser.page(htmlOf(id, text), { width, colorScheme });
                const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                assert.ok(wide <= 0, `${text}: ${wide} pixels too wide`);
                assert.deepEqual(await seriousFaults(page), [], text);
                assert.deepEqual(page.faults, [], text);
                await browser.close(page);
            }
        }
        const page = await browser.page(`${id}/docs/gpu.html#the-machine`);
        const other = LANGUAGES.find((each) => each.id !== id);
        await page.locator('.VPNavBar').getByRole('link', { name: other.name }).click();
        await page.waitForURL(new RegExp(`/${other.id}/docs/gpu\\.html#the-machine$`));
        await page.locator('.VPNavBar').getByRole('link', { name: 'English' }).click();
        await page.waitForURL((url) => /folder\/docs\/gpu\.html#the-machine$/.test(url.href));
        await page.locator('.VPNavBar').getByRole('link', { name: '繁體中文' }).waitFor();
        await browser.close(page);
    });
}

test('search finds Chinese words, in both scripts', async () => {
    for (const [id, word] of [
        ['zh-Hant', '合併存取'],
        ['zh-Hant', '暫存器'],
        ['zh-Hans', '寄存器'],
    ]) {
        const page = await browser.page(`${id}/`);
        await page.locator('.VPNavBarSearch button').first().click();
        await page.locator('.VPLocalSearchBox input').fill(word);
        await page.locator(`.VPLocalSearchBox .result[href*="/${id}/"]`).first().waitFor();
        assert.match(await page.locator('.VPLocalSearchBox .results').innerText(), /\S/);
        await browser.close(page);
    }
});
