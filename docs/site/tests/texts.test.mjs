// The pages of a chapter: their number, order and titles, and what the site adds to them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { mapPage } from '../build/map.mjs';
import { headings } from '../build/stairs.mjs';
import { shown } from '../build/pages.mjs';
import { description, descriptionOf, shortened } from '../build/describe.mjs';
import { meaningAt, meanings } from '../build/glossary.mjs';
import { CHAPTERS, ROOT, textOf } from '../build/places.mjs';
import { stageColours } from '../.vitepress/theme/charts/stage_colours.mjs';
import { neighbours, pagesBeside, shortTitle, sidebar, texts } from '../build/texts.mjs';

test('pages next to README.md: what comes next, results, several GPUs, others', () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'pages-'));
    fs.mkdirSync(path.join(root, 'ch01_a'));
    for (const name of ['README', 'a', 'multi_gpu', 'results', 'fastest'])
        fs.writeFileSync(path.join(root, 'ch01_a', `${name}.md`), '# T\n');
    fs.writeFileSync(path.join(root, 'ch01_a/main.cu'), '');
    const names = ['fastest', 'results', 'multi_gpu', 'a'].map((name) => `ch01_a/${name}.md`);
    assert.deepEqual(pagesBeside('ch01_a', root), names);
    fs.rmSync(root, { recursive: true });
});

test('their titles stand below their chapter in the sidebar', () => {
    assert.equal(shortTitle('# Chapter 1: how the last stages work\n'), 'How the last stages work');
    assert.equal(shortTitle('\n# `halo` and more\n'), 'Halo and more');
});

test('every text of a chapter is a page of the book, in the sidebar below its chapter', () => {
    const chapters = sidebar().find(({ text }) => text === 'Chapters').items;
    for (const [at, { folder }] of CHAPTERS.entries()) {
        const beside = texts().filter(
            (text) => path.posix.dirname(text) === folder && !text.endsWith('README.md'),
        );
        const links = chapters[at].items.map(({ link }) => link);
        for (const text of beside) {
            assert.ok(links.includes(`/${text.replace(/\.md$/, '.html')}`), text);
        }
        assert.equal(links.length, beside.length + 2, folder);
    }
});

test('a stage has its player below its heading, on whichever page of its chapter that is', () => {
    const [{ folder, id }] = CHAPTERS;
    const players = new Set([`${id}/halo`]);
    const markdown = '# T\n\n## `halo`: x\n\n```text\n## `halo`\n```\n\n## `other`: y\n';
    for (const name of ['README.md', 'fastest.md', 'results.md']) {
        const { lines } = shown(markdown, `${folder}/${name}`, players);
        const found = lines.join('\n').split(`<StagePlayer chapter="${id}" stage="halo" />`);
        assert.equal(found.length, 2, name);
        assert.ok(found[0].endsWith('## `halo`: x\n\n'), name);
    }
    for (const text of ['docs/counts.md', `${folder}/exercises/README.md`])
        assert.ok(!shown(markdown, text, players).lines.join('\n').includes('StagePlayer'), text);
});

test('a stage that the browser lab has leads there, from its heading', () => {
    const [{ folder, id }] = CHAPTERS;
    const labs = new Set([`${id}/halo`, 'gallery/a_race']);
    const of = (markdown, text) => shown(markdown, text, new Set(), labs).lines.join('\n');
    assert.match(of('## `halo`: x\n', `${folder}/fastest.md`), /href="\.\.\/page_lab\/#stage=ch01\/halo"/);
    assert.doesNotMatch(of('## `other`: x\n', `${folder}/README.md`), /page_lab/);
    assert.match(of('### a_race\n', 'docs/faults.md'), /href="\.\.\/page_lab\/#stage=gallery\/a_race"/);
});

test('a report of the lab is shown in place of the link to it', () => {
    const report = textOf('common/lab/fault_gallery/two_locks.txt').trimEnd();
    const text = '[What the lab says](../common/lab/fault_gallery/two_locks.txt)\n';
    const page = shown(text, 'docs/counts.md', new Set()).lines.join('\n');
    assert.equal(page, `The lab says:\n\n\`\`\`text\n${report}\n\`\`\`\n`);
});

test('the first kernel and its mistakes lead to the browser lab, once each', () => {
    const text = 'docs/first_kernel.md';
    const names = ['first/main', 'first/no_guard', 'first/nobody_asked'];
    const markdown = textOf(text);
    const page = shown(markdown, text, new Set(), new Set(names)).lines.join('\n');
    for (const name of names) assert.equal(page.split(`#stage=${name}"`).length, 2, name);
});

test('the chart of times is where its picture is', () => {
    const [{ folder, id }] = CHAPTERS;
    for (const name of ['README.md', 'results.md']) {
        const { lines } = shown('![times](figures/time.svg)', `${folder}/${name}`, new Set());
        assert.ok(lines[0].startsWith(`<ResultChart chapter="${id}" story="`), name);
    }
});

test('the chart of times knows which stages its picture shows in colour', () => {
    for (const { folder } of CHAPTERS) {
        const [line] = shown('![times](figures/time.svg)', `${folder}/README.md`, new Set()).lines;
        const story = /story="([^"]+)"/.exec(line)[1].split(',');
        const picture = textOf(folder, 'figures/time.svg');
        for (const stage of story) assert.match(picture, new RegExp(`<text [^>]*>${stage}</text>`), folder);
    }
});

test('stages of the story and libraries have a colour, the others none; all, if none of them is there', () => {
    const stages = ['a', 'b', 'host', 'lib'].map((stage) => ({
        stage,
        kind: { host: 'host', lib: 'library' }[stage] ?? 'stage',
    }));
    assert.deepEqual([...stageColours(stages, ['b', 'never']).keys()].sort(), ['b', 'lib']);
    for (const story of [[], ['never']])
        assert.deepEqual([...stageColours(stages, story).keys()].sort(), ['a', 'b', 'host', 'lib']);
});

test('the map has all warm-ups and chapters', () => {
    const page = mapPage();
    for (const { id, number, title } of CHAPTERS)
        assert.ok(page.includes(`## ${number} ${title} {#${id}}`), title);
    const notes = fs
        .readdirSync(path.join(ROOT, 'docs/first_kernel/grading'))
        .filter((name) => name.endsWith('.md'));
    assert.equal(page.match(/data-exercise="first\//g).length, notes.length);
});

test('headings of a text, without those in code', () => {
    const found = headings('# A\n```\n## B\n```\n## `c`: d\n#### E\n');
    assert.deepEqual(
        found.map(({ level, anchor }) => [level, anchor]),
        [
            [1, 'a'],
            [2, 'c-d'],
        ],
    );
});

test('Next and Before lead along the recommended way; other pages of a chapter hang aside', () => {
    let text = 'README.md';
    const seen = [text];
    const textOf = (link) =>
        texts().find((each) =>
            [`/${each.replace(/README\.md$/, '')}`, `/${each.replace(/\.md$/, '.html')}`].includes(link),
        );
    for (let { next } = neighbours(text); next; { next } = neighbours(text)) {
        const before = text;
        text = textOf(next.link);
        assert.ok(text, next.link);
        const back = neighbours(text).prev.link;
        assert.ok(textOf(back) === before || (before === 'README.md' && back === '/overview.html'), text);
        seen.push(text);
    }
    const wanted = CHAPTERS.map(({ folder }) => `${folder}/README.md`);
    assert.deepEqual(
        seen.filter((each) => wanted.includes(each)),
        wanted,
    );
    assert.ok(seen.indexOf('docs/first_kernel.md') < seen.indexOf(wanted[0]));
    assert.ok(!seen.some((each) => each.endsWith('fastest.md')));
    for (const name of ['fastest.md', 'results.md', 'main.cu.md']) {
        const { prev, next } = neighbours(`${CHAPTERS[0].folder}/${name}`);
        assert.equal(prev.link, `/${CHAPTERS[0].folder}/`);
        assert.equal(next.link, `/${CHAPTERS[0].folder}/exercises/`);
    }
    assert.deepEqual(neighbours('docs/glossary.md'), { prev: false, next: false });
});

test('a page is described by the beginning of its own text', () => {
    const markdown =
        '# T\n\n<!-- x -->\n![a](b.svg)\n\n| a |\n\n```text\nNo.\n```\n\nSorts `n` [keys](x.md).\nThen: ';
    assert.equal(description(`${markdown}more.\n\nOther.\n`), 'Sorts n keys. Then: more.');
    assert.equal(description('# T\n\n- a\n'), '');
    assert.equal(
        description('# T `t`\n\n`<cuda_runtime.h>` is <b>it</b>.\n', true),
        'T t. <cuda_runtime.h> is it.',
    );
    const long = 'A sentence that is long enough to stand here by itself. '.repeat(5);
    assert.equal(
        shortened(long.trim()),
        'A sentence that is long enough to stand here by itself. '.repeat(2).trim(),
    );
    assert.match(shortened('word '.repeat(60)), /^(?:word )+…$/);
    // What a test reads as data has no sentences.
    const pages = texts().filter((text) => !text.startsWith('common/grading/tests/'));
    const all = pages.map((text) => descriptionOf(text, textOf(text)));
    assert.deepEqual(
        pages.filter((_, i) => all[i].length < 30 || all[i].length > 160),
        [],
    );
    assert.equal(new Set(all).size, all.length);
});

test('a term of the glossary is explained where a text links to it', () => {
    const found = meanings(
        '# G\n\n## Terms\n\n### lane\n\n<a id="lanes"></a>One of 32 [threads](#t) of a warp.\n\n## Other\n\nx\n',
    );
    assert.deepEqual(
        [...found],
        [
            ['lane', 'One of 32 threads of a warp.'],
            ['lanes', 'One of 32 threads of a warp.'],
        ],
    );
    assert.match(meaningAt('bank-conflict'), /^Lanes of one request need different words of the same bank\./);
    const asked = new Set();
    for (const text of texts()) {
        for (const [, anchor] of textOf(text).matchAll(/glossary\.md#([\w-]+)/g)) asked.add(anchor);
    }
    const unknown = [...asked].filter((anchor) => !meaningAt(anchor));
    assert.deepEqual(unknown, []);
});
