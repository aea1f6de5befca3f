// The pages of a chapter: which there are, their order and titles, and what the site adds to them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { headings, mapPage } from '../build/map.mjs';
import { shown } from '../build/pages.mjs';
import { CHAPTERS, ROOT } from '../build/places.mjs';
import { stageColours } from '../.vitepress/theme/charts/stage_colours.mjs';
import { isInOrder, pagesBeside, shortTitle, sidebar, texts } from '../build/texts.mjs';

test('pages beside README.md: how it goes on, results, several GPUs, others', () => {
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
            assert.ok(isInOrder(text), text);
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

test('the first kernel and its mistakes lead to the browser lab, once each', () => {
    const text = 'docs/first_kernel.md';
    const names = ['first/main', 'first/no_guard', 'first/nobody_asked'];
    const markdown = fs.readFileSync(path.join(ROOT, text), 'utf8');
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
        const picture = fs.readFileSync(path.join(ROOT, folder, 'figures/time.svg'), 'utf8');
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

test('the map has every exercise below the section that prepares it', () => {
    const page = mapPage();
    const lines = page.split('\n');
    for (const { folder } of CHAPTERS) {
        const notes = fs
            .readdirSync(path.join(ROOT, folder, 'grading'))
            .filter((name) => name.endsWith('.md'));
        const shownHere = lines.filter((line) => line.includes(`(./${folder}/exercises/index.md)`));
        assert.equal(shownHere.length, notes.length, folder);
    }
    const at = lines.findIndex((line) => line.includes('exercise ex3: [Side by side]'));
    assert.match(
        lines[at - 1],
        /\[More items than threads\]\(\.\/docs\/first_kernel\.md#more-items-than-threads\)/,
    );
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
