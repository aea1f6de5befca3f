// The Chinese pages: every text in two scripts, English anchors, the switch of languages, the search.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ConverterFactory, Locale } from 'opencc-js';
import {
    LANGUAGES,
    asPage,
    originalOf,
    pageIn,
    simplified,
    terms,
    translationOf,
    translations,
    wordIn,
} from '../build/chinese.mjs';
import { meaningAt } from '../build/glossary.mjs';
import { shown } from '../build/pages.mjs';
import { OUT, textOf } from '../build/places.mjs';
import { slug } from '../build/slug.mjs';
import { CHANGED, inTurn } from '../page_lab/tests/turn.mjs';
import { Browser, seriousFaults } from './browser.mjs';
import { LANES, Lanes, resize } from './lanes.mjs';
import { built } from './programs.mjs';

const browser = new Browser();
const lanes = new Lanes(browser);

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
    const exercise = asPage('## <a id="ex1_a"></a>習題 1：一', 'a/exercises/README.zh-Hant.md', ['ex1_a']);
    assert.match(exercise.join('\n'), /\[看英文版\]\(\.\/ex1_a\.cu\)/);
});

test('no term of the mainland in Traditional characters, in any text', () => {
    const inTraditional = ConverterFactory(Locale.from.cn, Locale.to.tw);
    const all = terms();
    const wrong = all
        .map(([right, other]) => [right, inTraditional(other)])
        .filter(([right, other]) => !right.includes(other) && all.every(([each]) => each !== other));
    assert.ok(wrong.some(([, other]) => other === '寄存器') && wrong.length > 30, wrong.join(' '));
    for (const text of TEXTS) {
        const words = textOf(text);
        for (const [right, other] of wrong)
            assert.ok(!words.includes(other), `${text}: ${other} is ${right} in Taiwan`);
    }
});

test('below the heading of an exercise: its link to the browser lab, in the language of the page', () => {
    const text = 'ch01_bubble/exercises/README.zh-Hant.md';
    const page = asPage('## <a id="ex2_end_of_array"></a>習題 2：一\n\n**題目**：做。', text, []).join('\n');
    const words = (word) => wordIn('zh-Hant', word);
    const { lines } = shown(page, text, new Set(), new Set(), () => null, {
        folder: 'zh-Hant/ch01_bubble/exercises',
        words,
    });
    assert.match(
        lines[0],
        /\{#ex2_end_of_array\}\n\n.*page_lab\/#stage=exercise\/ch01\/ex2">在瀏覽器實驗室裡解/,
    );
});

test('Simplified: a row of a picture or of a table is 行, a column 列', () => {
    assert.equal(
        simplified('第 y 列、第 x 欄，共 70 列，`h` 列，幾列'),
        '第 y 行、第 x 列，共 70 行，`h` 行，几行',
    );
    assert.equal(simplified('[習題](a.md) 列出整列'), '[习题](a.md) 列出整行');
});

test('a term says on hover what it means, in its script', () => {
    assert.match(meaningAt('warp'), /^32 consecutive threads/);
    assert.match(meaningAt('warp', 'zh-Hant'), /連續的 32 條執行緒/);
    assert.match(meaningAt('warps', 'zh-Hans'), /连续的 32 条线程/);
});

test('every Chinese page has the anchors of its English one', () => {
    for (const text of TEXTS) {
        const english = textOf(originalOf(text));
        const wanted = anchorsOf(english);
        assert.ok(wanted.length > 0, text);
        for (const { id } of LANGUAGES) {
            const html = built(htmlOf(id, text));
            for (const anchor of wanted)
                assert.ok(html.includes(`id="${anchor}"`), `${htmlOf(id, text)} has no #${anchor}`);
            assert.match(html, new RegExp(`<html lang="${id}"`));
        }
    }
});

const VIEWS = LANGUAGES.flatMap(({ id }) =>
    TEXTS.flatMap((text, at) =>
        [1440, 390].map((width) => {
            const colorScheme = (at + width) % 20 === 0 ? 'dark' : 'light';
            return { id, text, width, colorScheme };
        }),
    ),
);
/** Looked at by axe-core, which takes longer than the rest: what was changed, and a third each day. */
const CLOSELY = new Set(inTurn(VIEWS, 3, ({ text }) => CHANGED.has(text)));

describe('pages at 1440 and 390 pixels, without faults', { concurrency: LANES }, () => {
    for (const view of VIEWS.filter(({ width }) => width === 1440)) {
        const { id, text } = view;
        test(`${id}: ${text}`, () =>
            lanes.visit(async (tab, go) => {
                for (const each of VIEWS.filter((other) => other.id === id && other.text === text)) {
                    if (each === view || CLOSELY.has(each)) await go(htmlOf(id, text), each);
                    else await resize(tab, each);
                    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                    assert.ok(wide <= 0, `${wide} pixels too wide at ${each.width}`);
                    if (CLOSELY.has(each)) assert.deepEqual(await seriousFaults(tab), [], `at ${each.width}`);
                    assert.deepEqual(tab.faults, []);
                }
            }));
    }
});

for (const { id } of LANGUAGES) {
    test(`${id}: the switch of languages keeps the place`, async () => {
        const page = await browser.page(`${id}/docs/gpu.html#the-machine`);
        const other = LANGUAGES.find((each) => each.id !== id);
        await page.locator('.VPNavBar').getByRole('link', { name: other.name }).click();
        await page.waitForURL(new RegExp(`/${other.id}/docs/gpu\\.html#the-machine$`));
        await page.locator('.VPNavBar').getByRole('link', { name: 'English' }).click();
        await page.waitForURL((url) => /folder\/docs\/gpu\.html#the-machine$/.test(url.href));
        await page.locator('.VPNavBar').getByRole('link', { name: '繁體中文' }).waitFor();
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
