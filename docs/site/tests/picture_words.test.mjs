// The pictures of the Chinese pages: every word is in the table, every entry is used, and what is said has room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, pageIn, pictureIn, translations } from '../build/chinese.mjs';
import { target } from '../build/links.mjs';
import { entryOf, withWords, wordsIn } from '../build/picture_words.mjs';
import { textOf } from '../build/places.mjs';
import { pictureOfBook } from '../build/typography.mjs';
import { KEPT, PICTURE_WORDS } from '../words/pictures.mjs';
import { Browser } from './browser.mjs';
import { built } from './programs.mjs';

const browser = new Browser();

/** The drawings of the Chinese texts: name -> what the first text that shows it says about it. */
const PICTURES = new Map(
    translations()
        .flatMap((text) =>
            [...textOf(text).matchAll(/!\[([^\]]*)\]\(([^()\s]+\.svg)\)/g)].map(([, words, href]) => [
                target(href, text).name,
                words,
            ]),
        )
        .reverse(),
);

test('every line of the pictures has Chinese words, or is kept; no entry is left over', () => {
    assert.ok(PICTURES.size > 35, `${PICTURES.size} pictures`);
    const used = new Set();
    for (const name of PICTURES.keys()) {
        for (const entry of wordsIn(textOf(name))) {
            assert.ok(
                entry in PICTURE_WORDS || KEPT.includes(entry),
                `${name}: words/pictures.mjs has nothing for '${entry}'`,
            );
            used.add(entry);
        }
    }
    const all = [...Object.keys(PICTURE_WORDS), ...KEPT];
    assert.deepEqual([...new Set(all)], all, 'no entry twice');
    assert.deepEqual(
        all.filter((entry) => !used.has(entry)),
        [],
        'entries that no picture uses',
    );
    for (const [entry, words] of Object.entries(PICTURE_WORDS))
        if (words)
            assert.equal(words.split('#').length, entry.split('#').length, `numbers of '${entry}': ${words}`);
});

test('numbers keep their places, names and code stay', () => {
    assert.equal(entryOf('2^20 items &lt; H200'), '#^# items < H200');
    const svg =
        '<svg w="1">\n<title>A</title>\n<desc>B</desc>\n.m{x,monospace}<text x="1">4 of 5 pairs swap</text><text>best</text></svg>';
    assert.equal(
        withWords('zh-Hans', svg, '圖'),
        '<svg lang="zh-Hans" w="1">\n<title>图</title>\n' +
            ".m{x,'Noto Sans SC','PingFang SC','Microsoft YaHei',monospace}" +
            '<text x="1">4 对交换（共 5 对）</text><text>best</text></svg>',
    );
});

/** The texts of a picture: {words, box, at: the smallest frame that holds it, crossed: other shapes below it}. */
function measured() {
    const svg = document.querySelector('svg');
    const boxOf = (element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return { left, top, right, bottom };
    };
    const all = boxOf(svg);
    const shapes = [...svg.querySelectorAll('rect, circle')].slice(1).map(boxOf);
    return [...svg.querySelectorAll('text')].map((element) => {
        const box = boxOf(element);
        // The line itself, without the space above and below it.
        const height = box.bottom - box.top;
        const core = { ...box, top: box.top + 0.3 * height, bottom: box.bottom - 0.3 * height };
        const overlaps = (b) =>
            core.left + 1 < b.right && b.left + 1 < core.right && core.top < b.bottom && b.top < core.bottom;
        const holds = (b) =>
            b.left <= core.left + 1 &&
            core.right <= b.right + 1 &&
            b.top <= core.top &&
            core.bottom <= b.bottom;
        return {
            words: element.textContent,
            core,
            leaves: !holds(all),
            inside: shapes.flatMap((shape, i) => (holds(shape) ? [i] : [])),
            crossed: shapes.flatMap((shape, i) => (overlaps(shape) ? [i] : [])),
        };
    });
}

const meet = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top < b.bottom && b.top < a.bottom;

/** What is wrong with a picture's Chinese words but not with the English ones. */
function misfits(english, chinese) {
    return chinese.flatMap((now, i) => {
        if (now.words === '') return [];
        const before = english[i];
        const found = [];
        if (now.leaves && !before.leaves) found.push(`'${now.words}' leaves the picture`);
        if (before.inside.some((shape) => !now.inside.includes(shape)))
            found.push(`'${now.words}' leaves its box`);
        if (now.crossed.some((shape) => !before.crossed.includes(shape)))
            found.push(`'${now.words}' covers another box`);
        for (let k = 0; k < i; ++k)
            if (meet(now.core, chinese[k].core) && !meet(before.core, english[k].core))
                found.push(`'${now.words}' and '${chinese[k].words}' overlap`);
        return found;
    });
}

test('no Chinese words leave their box, or cover others', async () => {
    const page = await browser.page('404.html');
    const shown = async (svg) => {
        await page.setContent(`<body style="margin:0">${svg}`);
        return page.evaluate(measured);
    };
    const found = [];
    for (const [name, words] of PICTURES) {
        const svg = textOf(name);
        const english = await shown(pictureOfBook(svg));
        for (const { id } of LANGUAGES) {
            const chinese = await shown(pictureOfBook(withWords(id, svg, words)));
            found.push(...misfits(english, chinese).map((what) => `${name}, ${id}: ${what}`));
        }
    }
    assert.deepEqual(found, []);
    const boxed = (words) =>
        `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="40"><rect width="300" height="40"/><rect x="10" width="60" height="40"/><text x="15" y="25">${words}</text><text x="80" y="25">next</text></svg>`;
    const [short, long] = [await shown(boxed('item')), await shown(boxed('項目項目項目項目'))];
    assert.deepEqual(misfits(short, long), [
        "'項目項目項目項目' leaves its box",
        "'next' and '項目項目項目項目' overlap",
    ]);
});

test('each Chinese page shows the pictures in its script, and leads to them', () => {
    for (const { id } of LANGUAGES) {
        for (const [name, words] of PICTURES) {
            const svg = built(pictureIn(id, name));
            assert.match(svg, new RegExp(`<svg lang="${id}"`), name);
            assert.ok(words.length > 0, name);
        }
        const html = built(pageIn(id, 'docs/gpu.md').replace(/md$/, 'html'));
        assert.match(html, new RegExp(`href="[./]*${id}/docs/figures/machine\\.svg"`));
    }
});
