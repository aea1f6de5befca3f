// The interface of the Chinese pages: everything that is said has words in the table, and nothing on a page is English.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { counted, say, speak, t, teach } from '../.vitepress/theme/language.mjs';
import { CHAPTERS, SITE, textOf } from '../build/places.mjs';
import { besideOf, removedBy } from '../build/strips.mjs';
import { PAIRS } from '../pairs.mjs';
import { INTERFACE_WORDS } from '../words/interface.mjs';
import { Browser, seriousFaults } from './browser.mjs';
import { built } from './programs.mjs';
import { keysIn, wordsInCode } from './words_in_code.mjs';

const browser = new Browser();

/** What comes from data and is translated where it is shown: sentence -> where it is. */
function said() {
    const found = new Map();
    for (const { folder, id, number, title } of CHAPTERS) {
        found.set(`Chapter ${number}: ${title}`, 'build/record.mjs');
        const text = textOf(folder, 'README.zh-Hant.md');
        for (const [, stage] of text.matchAll(/^## <a id="[^"]*"><\/a>`(\w+)`/gm)) {
            const pair = PAIRS[id][stage];
            if (!pair) continue;
            if (besideOf(id, stage, pair)) found.set(removedBy(id, stage), `${folder}: ${stage}`);
            if (pair.says) found.set(pair.says, `pairs.mjs: ${stage}`);
        }
    }
    return found;
}

/** Words that come from files: the places where they are defined. */
const ELSEWHERE = {
    'build/record.mjs': ['The first kernel', 'as in the program'],
    'page_lab/run_worker.mjs': [
        'Nothing was accessed: no kernel ran, or it ended before its first access.',
        'no kernel was run',
    ],
    '../../common/grading/files/notes.py': [
        'fill in the blank',
        'find the bug',
        'predict a number',
        'make it faster',
    ],
};
/** ${row.space} ${row.operation} of the lab's counts. */
const OPERATIONS = ['global', 'shared'].flatMap((space) =>
    ['load', 'store', 'atomic'].map((operation) => `${space} ${operation}`),
);
const UNITS = ['sectors', 'wavefronts', 'requests'];
/** Column `ceiling` of the results. */
const LIMITS = ['read bandwidth', 'copy bandwidth', 'min/max rate'];
/** Names that Observable Plot gives to parts of a chart. */
const PLOT = [
    ...['x', 'y'].flatMap((axis) => ['tick', 'tick label', 'label'].map((part) => `${axis}-axis ${part}`)),
    ...['y-grid', 'rule', 'area', 'dot', 'tip'],
];

test('whatever the book says has Chinese words, and no words are left over', () => {
    const code = wordsInCode();
    assert.ok(code.size > 300, `${code.size} in the code`);
    const data = said();
    assert.ok(data.size > 50, `${data.size} in data`);
    for (const [file, sentences] of Object.entries(ELSEWHERE)) {
        const content = fs.readFileSync(path.join(SITE, file), 'utf8');
        for (const each of sentences) {
            assert.ok(content.includes(each), `${file} does not say '${each}'`);
            data.set(each, file);
        }
    }
    for (const each of [...OPERATIONS, ...UNITS, ...LIMITS, ...PLOT]) data.set(each, 'counts');
    const all = new Map([...code, ...data]);
    const missing = [...all].filter(([key]) => !(key in INTERFACE_WORDS));
    assert.deepEqual(missing, [], 'words/interface.mjs has nothing for these');
    const unused = Object.keys(INTERFACE_WORDS).filter((key) => !all.has(key));
    assert.deepEqual(unused, [], 'nobody says these');
    for (const [key, words] of Object.entries(INTERFACE_WORDS)) {
        const values = (text) => [...new Set(text.match(/\{\d\}|#/g))].sort();
        assert.deepEqual(values(words), values(key), `values of '${key}'`);
    }
});

test('keys are found in code', () => {
    const code = "say(t`a ${b ? t`c ${`{`}` : '}'} d ${e}`, en`f`, not`g`, counted(n + (1), 'h i'))";
    assert.deepEqual(keysIn(code).sort(), ['# h i', 'a {0} d {1}', 'c {0}', 'f']);
});

test('a sentence in another language: its values in their places, blanks next to Latin letters', () => {
    teach('x', { 'a {0} b {1}': '先{1}後{0}', '# bank': '# 個 bank', c: '丙' });
    speak('x');
    assert.deepEqual(
        [t`a ${'warp'} b ${2}`, counted(1024, 'bank'), say('c')],
        ['先 2 後 warp', '1,024 個 bank', '丙'],
    );
    assert.deepEqual([t`d ${1}`, counted(2, 'd'), say('d')], ['d 1', '2 ds', 'd']);
    speak('y');
    assert.deepEqual(
        [t`a ${1} b ${2}`, counted(1, 'bank'), counted(2, 'bank')],
        ['a 1 b 2', '1 bank', '2 banks'],
    );
});

/** What stays English on a Chinese page: code, names, what programs print, units. */
const index = JSON.parse(built('traces/index.json'));
const NAMES = [
    'Bubbles to Bandwidth',
    // VitePress has no setting for these, which are for screen readers.
    ...[
        'Main Navigation',
        'Sidebar Navigation',
        'mobile navigation',
        'Table of Contents for current page',
        'Pager',
    ],
    ...Object.values(index).flatMap(({ stages }) => Object.keys(stages)),
    ...'random sorted reversed few_distinct organ_pipe all_equal extremes ascending descending'.split(' '),
    ...'forward reverse shuffle host thrust cub celsius main cu tile type finish launch'.split(' '),
    ...'CUDA GPU CPU NVIDIA kernel kernels warp lane sector wavefront bank block grid if else'.split(' '),
    ...'English Ctrl Enter JavaScript MB KiB TB GB ms us ns float int lab explain'.split(' '),
];

/** Labels of a page that are English: visible texts, titles and labels of the parts that are not text of the
 *  book. */
async function englishOn(page, places) {
    const labels = await page.evaluate((selector) => {
        const kept = 'pre, code, .source-view, .cm-editor, .line-names, .cells, .memory b';
        const found = new Set();
        const isSeen = (element) => element.checkVisibility?.() ?? true;
        for (const root of document.querySelectorAll(selector)) {
            const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const { parentElement: parent } = node;
                if (parent.closest(kept) || !isSeen(parent)) continue;
                found.add(node.textContent.trim().replace(/\s+/g, ' '));
            }
            for (const element of [root, ...root.querySelectorAll('[aria-label], [title]')]) {
                if (element.closest(kept) || !isSeen(element)) continue;
                for (const name of ['aria-label', 'title']) found.add(element.getAttribute(name) ?? '');
            }
        }
        return [...found];
    }, places);
    const names = new RegExp(`(?<!\\w)(?:${NAMES.join('|')})(?!\\w)`, 'g');
    return labels.filter((label) => {
        const rest = label.replace(names, '').replace(/\w+[_.=/(\[]\S*|\bk[A-Z]\w*|\b[A-Z]+ ?\d+\w*/g, '');
        return /\p{Script=Han}/u.test(label) ? /[a-z]{2,} [a-z]{2,}/i.test(rest) : /[A-Za-z]{2,}/.test(rest);
    });
}

const INTERFACE =
    '.VPNav, .VPSidebar, .VPDocFooter, .VPDocAside, .VPLocalNav, .strip, .stage-player, .try-in-page, ' +
    '.listing-run, .result-chart, .excerpt-source, .figure-caption, .toy, .lab, .player-page';

for (const width of [1440, 390]) {
    test(`zh-Hant: a chapter's page says nothing in English at ${width} pixels`, async () => {
        const page = await browser.page('zh-Hant/ch02_reduce_baseline/', { width });
        assert.match(await page.locator('.strip').nth(1).innerText(), /拿掉的：/);
        await page.getByRole('button', { name: '看 neighbour 執行，一步一步來' }).click();
        const player = page.locator('.stage-player.is-open');
        await player.locator('.stage-view').first().waitFor();
        for (const step of [1, 2, 3, 20]) {
            await player.getByRole('slider', { name: '步' }).fill(String(step));
            assert.match(await player.locator('.words').first().innerText(), /[。]$/);
            assert.deepEqual(await englishOn(page, INTERFACE), [], `step ${step}`);
        }
        await player.locator('.legend summary').click();
        const listing = page.locator('.listing-run', { has: page.getByText('拿掉第') }).first();
        for (const mode of ['計數', '找錯', '執行']) {
            await listing.getByRole('button', { name: mode, exact: true }).click();
            await listing.locator('.lab-panel').waitFor({ timeout: 120_000 });
            await listing.locator('[aria-busy=false]').waitFor();
            assert.deepEqual(await englishOn(page, INTERFACE), [], mode);
        }
        await page.locator('.result-chart').scrollIntoViewIfNeeded();
        await page.locator('.result-plot svg').waitFor();
        assert.deepEqual(await englishOn(page, INTERFACE), [], 'chart');
        await page.getByRole('button', { name: '表格' }).click();
        assert.deepEqual(await englishOn(page, INTERFACE), [], 'table');
        assert.deepEqual(page.faults, []);
    });
}

test('zh-Hans: the same words in the other script, from the page itself', async () => {
    const page = await browser.page('zh-Hans/ch02_reduce_baseline/');
    assert.match(await page.locator('.strip').nth(1).innerText(), /去掉的|拿掉的/);
    await page.getByRole('button', { name: '看 neighbour 执行，一步一步来' }).waitFor();
    await page.locator('.VPNavBar').getByRole('link', { name: '繁體中文' }).click();
    await page.getByRole('button', { name: '看 neighbour 執行，一步一步來' }).waitFor();
    await page.locator('.VPNavBar').getByRole('link', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Watch neighbour run, step by step' }).waitFor();
    assert.deepEqual(page.faults, []);
});

test('zh-Hant: the pictures with sliders and the player’s own page', async () => {
    const gpu = await browser.page('zh-Hant/docs/gpu.html');
    await gpu.locator('.toy-inputs').first().waitFor();
    assert.deepEqual(await englishOn(gpu, INTERFACE), []);
    const page = await browser.page('zh-Hant/play.html?chapter=ch03&stage=sequential&beside=coalesced');
    await page.locator('.stage-view').nth(1).waitFor();
    assert.deepEqual(await englishOn(page, 'body'), []);
    assert.match(
        await page.locator('.state-link').getAttribute('href'),
        /\/zh-Hant\/play\.html\?chapter=ch03/,
    );
});

test('zh-Hant: the browser lab, opened from a chapter', async () => {
    const from = await browser.page('zh-Hant/ch02_reduce_baseline/');
    await from.locator('.try-in-page a').first().click();
    await from.waitForURL(/\/zh-Hant\/page_lab\/#stage=ch02\/atomic/);
    await from.locator('.lab .code-editor .cm-content').waitFor();
    assert.deepEqual(await englishOn(from, 'body'), [], 'opened');
    for (const mode of ['執行', '計數', '找錯', '播放']) {
        await from.locator('.run-bar').getByRole('button', { name: mode, exact: true }).click();
        await from.waitForFunction(() => document.querySelector('.run-bar .stop').disabled, null, {
            timeout: 120_000,
        });
        assert.deepEqual(await englishOn(from, 'body'), [], mode);
    }
    await from.getByLabel('程式', { exact: true }).first().selectOption('own');
    await from.locator('.kernel-chips').waitFor();
    assert.deepEqual(await englishOn(from, 'body'), [], 'own');
    assert.deepEqual(await seriousFaults(from), []);
    assert.deepEqual(from.faults, []);
});
