// The pages that the site is built from: copies of the texts, and a page for each source they link to.
import fs from 'node:fs';
import path from 'node:path';
import {
    LANGUAGES,
    WORDS,
    asPage,
    neighboursIn,
    originalOf,
    pageIn,
    pictureIn,
    simplified,
    staleSections,
    translationOf,
    translations,
    wordIn,
} from './chinese.mjs';
import { descriptionOf } from './describe.mjs';
import { excerpts } from './excerpts.mjs';
import { captionHtml, figureAnchor, figureNumber, figuresIn } from './figures.mjs';
import { homePage } from './home.mjs';
import { sourcePageOf, target, written } from './links.mjs';
import { changeLink, listingRun, listings } from './listings.mjs';
import { mapPage } from './map.mjs';
import { en, localPage, say, t } from '../.vitepress/theme/language.mjs';
import { buildIn } from './interface_words.mjs';
import { hasPageLab } from './page_lab.mjs';
import { withWords } from './picture_words.mjs';
import { CHAPTERS, OUT, PAGES, ROOT, SITE, WORK, textOf } from './places.mjs';
import { flights } from './stairs.mjs';
import { stripHtml } from './strip_html.mjs';
import { escaped } from './strip_picture.mjs';
import { slug } from './slug.mjs';
import { neighbours, pageOf, texts } from './texts.mjs';
import { pictureOfBook, typeset } from './typography.mjs';

const CODE = {
    '.cu': 'cuda',
    '.cuh': 'cuda',
    '.hpp': 'cuda',
    '.h': 'cuda',
    '.cpp': 'cuda',
    '.py': 'python',
};
const PICTURE = /^!\[([^\]]*)\]\(figures\/time\.svg\)$/;
const STAGE = /^## `(\w+)`/;
/** The heading of an exercise, in languages other than English; in English its file says what to do. */
const EXERCISE = /^## .* \{#(ex\d+_\w+)\}$/;

/** The pages of the player and of the browser lab, in the current language. */
const playerPage = () => `---
title: ${t`The stage player`}
description: ${t`Every stage of every chapter as it ran on the emulator, step by step, alone or beside another.`}
${inAllLanguages('play.md')}
aside: false
editLink: false
---

# ${t`The stage player`}

${t`Every stage of every chapter, as it ran on the emulator, step by step. A row of threads is a warp; a column of shared memory is a bank.`} <span class="with-keys">${t`Space plays, the arrow keys step.`}</span>

<noscript>${t`The player needs JavaScript, which is turned off here.`}</noscript>

<PlayerPage />
`;

const labPage = () => `---
title: ${t`The browser lab`}
description: ${t`Edit a CUDA kernel, run it, see its counts and its races. Nothing to install.`}
${inAllLanguages('page_lab/index.md')}
pageClass: lab-page
aside: false
sidebar: false
editLink: false
prev: false
next: false
---

# ${t`The browser lab`}

${t`Choose a stage or an exercise, or write a kernel. It runs here, in your browser, on the emulator.`}

<noscript>${t`The lab needs JavaScript, which is turned off here.`}</noscript>

<LabPage />
`;

/** Writes the pages that come from no text, in a language; returns the names of the pages. */
function writeTools(language) {
    buildIn(language);
    const pages = [['play.md', playerPage], ...(hasPageLab() ? [['page_lab/index.md', labPage]] : [])];
    return pages.map(([name, made]) => {
        const place = localPage(name).slice(1);
        write(place, made());
        return place;
    });
}

/** Players that come before a line of a text: the reader sees a kernel run on the first screen. */
const OPENINGS = {
    'ch01_bubble/README.md': ['You will learn', { chapter: 'ch01', stage: 'global', beside: 'shared' }],
    'docs/first_kernel.md': ['## Line by line', { chapter: 'first', stage: 'celsius' }],
};

/** Pictures with sliders at the end of a section of a text. */
const TOYS = {
    'docs/gpu.md': {
        'Threads, warps, blocks, grid': ['block', 'divergence'],
        'The machine': ['banks'],
        'Memory is read in sectors': ['sectors'],
    },
};

/** Pictures that move, below the still ones of the texts. */
const MOVING = {
    'ch05_merge_bitonic/README.md': {
        'figures/merge_path.svg': 'merge_path',
        'figures/network.svg': 'network',
    },
    'ch05_merge_bitonic/fastest.md': { 'figures/buckets.svg': 'sample_sort' },
    'ch06_topk/README.md': { 'figures/threshold.svg': 'threshold' },
    'ch06_topk/fastest.md': { 'figures/flow.svg': 'tiles' },
};

function write(name, content) {
    const place = path.join(PAGES, name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    if (fs.existsSync(place) && fs.readFileSync(place, 'utf8') === content) return;
    fs.writeFileSync(place, content);
}

/** For each line of a text: is it inside a fenced block? */
export function fenced(lines) {
    let fence = '';
    return lines.map((line) => {
        const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
        if (fence) {
            if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
            return true;
        }
        fence = mark ?? '';
        return Boolean(mark);
    });
}

function lineRange({ first, last }) {
    return first === last ? t`line ${first}` : t`lines ${first} to ${last}`;
}

/** A link to the browser lab from a page in `folder`: to a stage or a program there, or to the page. */
function labLink(folder, words, state = '') {
    const to = path.posix.relative(folder, localPage('page_lab').slice(1));
    return `<p class="try-in-page"><a href="${to}/${state}">${words}</a></p>`;
}

function stageLink(page, name, labs) {
    if (!labs.has(name)) return '';
    return `\n\n${labLink(page.folder, t`Try it in the browser lab`, `#stage=${name}`)}\n`;
}

/** A change worth trying: the chapter with it, in the browser lab. */
function changeOffer(page, listing) {
    if (!listing.change) return '';
    const { to, shown = to, removed, shows } = listing.change;
    const code = `<code>${escaped(removed ?? shown)}</code>`;
    const edit = removed ? t`without ${code}` : code;
    const button = say({ fault: en`Faults`, wrong: en`Run` }[shows] ?? en`Count`);
    const words = t`Try it in the browser lab, and press ${button}: ${edit}`;
    return `${labLink(page.folder, words, changeLink(listing))}\n\n`;
}

/** Programs with a link to the browser lab below their first listing. */
const FIRST_KERNEL = /^docs\/first_kernel\/(?:mistakes\/)?(\w+)\.cu$/;

/** Texts that have a link to the browser lab below their title. */
const LAB_TEXTS = {
    'docs/page_lab.md': ['Open the lab', ''],
    'docs/examples/README.md': ['Try them in the browser lab', '#stage=examples/matmul'],
    'docs/faults.md': ['Try them in the browser lab', '#stage=gallery/reverse_without_barrier'],
};

/** A report of the lab that a text links to; the page shows it in place of the link. */
const REPORT = /^\[What the lab says\]\((\S+\.txt)\)$/;
const reportOf = (text, link) => {
    const report = textOf(path.posix.dirname(text), link).trimEnd();
    return `The lab says:\n\n\`\`\`text\n${report}\n\`\`\``;
};

/** What a chapter's chart of times shows, as the picture itself says: stages in colour, "a,b", and the quantity. */
function storyOf({ folder }) {
    const picture = textOf(folder, 'figures/time.svg');
    const story = /<svg [^>]*data-story="([^"]+)"/.exec(picture)?.[1];
    if (!story) throw new Error(`${folder}/figures/time.svg does not say which stages it shows in colour`);
    return `story="${story}" first="${picture.includes('times as fast as') ? 'library' : 'time'}"`;
}

/** The strips of a page's stages: below the first that draws steps it says how they are read. */
function stripsOf({ folder }, strips) {
    const player = path.posix.relative(folder, localPage('play.html').slice(1));
    let isExplained = false;
    return (chapter, stage) => {
        const found = strips(chapter, stage);
        if (!found) return '';
        const html = stripHtml(found, player, !isExplained);
        isExplained ||= found.sides.length > 0;
        return `\n\n${html}\n`;
    };
}

/** The page of a text: its folder, and its words for what no text says. */
function pageFor(text, language = '') {
    return {
        folder: path.posix.dirname(pageIn(language, text)),
        words: (word) => wordIn(language, word),
    };
}

/**
 * A text as the site shows it, as lines, and the sources that it quotes. `strips`: what goes below the
 * heading of a stage, by chapter and stage (strips.mjs), or null.
 */
export function shown(markdown, text, players, labs = new Set(), strips = () => null, page = pageFor(text)) {
    const lines = markdown.split('\n');
    const inside = fenced(lines);
    const sources = new Set();
    const after = new Map();
    const all = excerpts(markdown, text);
    const runs = new Map(
        listings(lines, inside, all, text)
            .filter(({ chapter, stage }) => labs.has(`${chapter}/${stage}`))
            .map((each) => [each.end, `${listingRun(each)}\n\n${changeOffer(page, each)}`]),
    );
    for (const found of all) {
        if (!found.file.match(/\.(?:cu|cuh|hpp|h|cpp)$/)) continue;
        const isNew = !sources.has(found.file);
        sources.add(found.file);
        const to = path.posix.relative(page.folder, `${found.file}.md`);
        const source = `<div class="excerpt-source">\n\n${runs.get(found.end) ?? ''}[${path.posix.basename(found.file)}, ${lineRange(found)}](${to.startsWith('.') ? to : `./${to}`}#L${found.first})\n\n</div>\n`;
        const program = isNew && FIRST_KERNEL.exec(found.file)?.[1];
        after.set(found.end, program ? source + stageLink(page, `first/${program}`, labs) : source);
    }
    for (const [picture, kind] of Object.entries(MOVING[originalOf(text)] ?? {})) {
        const at = lines.findIndex((line) => line.includes(`](${picture})`));
        if (at >= 0) after.set(at, `<GpuToy kind="${kind}" />\n`);
    }
    const chapter = CHAPTERS.find(({ folder }) => path.posix.dirname(text) === folder);
    const stripOf = stripsOf(page, strips);
    const out = lines.map((line, at) => {
        let now = inside[at] ? line.replace(/^```cpp$/, '```cuda') : line.replaceAll('{{', '&#123;&#123;');
        const report = !inside[at] && REPORT.exec(line)?.[1];
        if (report) now = reportOf(text, report);
        const picture = chapter && !inside[at] && PICTURE.exec(line);
        if (picture) {
            const number = figureNumber(originalOf(text), figuresIn(lines.slice(0, at).join('\n')));
            const caption = captionHtml(number, typeset(picture[1]), page.words('Figure'));
            now = `<ResultChart chapter="${chapter.id}" ${storyOf(chapter)} id="${figureAnchor(number)}">\n<template #caption>${caption}</template>\n\n${line}\n\n</ResultChart>`;
        }
        const stage = chapter && !inside[at] && STAGE.exec(line)?.[1];
        if (stage) now += stripOf(chapter.id, stage);
        if (stage && players.has(`${chapter.id}/${stage}`)) {
            now += `\n\n<StagePlayer chapter="${chapter.id}" stage="${stage}" />\n`;
        }
        if (stage) now += stageLink(page, `${chapter.id}/${stage}`, labs);
        const fault = text === 'docs/faults.md' && !inside[at] && /^### (\w+)$/.exec(line)?.[1];
        if (fault && players.has(`gallery/${fault}`)) {
            now += `\n\n<StagePlayer chapter="gallery" stage="${fault}" />\n`;
        }
        if (fault) now += stageLink(page, `gallery/${fault}`, labs);
        const exercise = !inside[at] && EXERCISE.exec(line)?.[1];
        if (exercise) now += `\n\n${exerciseLink(`${path.posix.dirname(text)}/${exercise}.cu`, page)}`;
        return after.has(at) ? `${now}\n\n${after.get(at)}` : now;
    });
    if (hasPageLab() && text in LAB_TEXTS)
        out.splice(out.indexOf('', 2), 0, '', labLink(page.folder, ...LAB_TEXTS[text]), '');
    addOpening(out, text, players);
    addToys(out, originalOf(text));
    if (text === 'docs/results/README.md')
        out.splice(out.indexOf('## The files'), 0, '<ResultExplorer />', '');
    return { lines: out, sources };
}

/** Is this line of a page that line of the English text, or its heading in another language? */
function isLine(line, english) {
    const inChinese = WORDS[english];
    if (line === english || (inChinese && [inChinese, simplified(inChinese)].includes(line))) return true;
    return english.startsWith('## ') && line.endsWith(` {#${slug(english.slice(3))}}`);
}

function addOpening(lines, text, players) {
    const [before, player] = OPENINGS[originalOf(text)] ?? [];
    if (!before || !players.has(`${player.chapter}/${player.stage}`)) return;
    const at = lines.findIndex((line) => isLine(line, before));
    if (at < 0) throw new Error(`${text} has no line "${before}" for its player`);
    const words = Object.entries(player).map(([name, value]) => `${name}="${value}"`);
    lines.splice(at, 0, `<StagePlayer ${words.join(' ')} />`, '');
}

function addToys(lines, text) {
    for (const [title, kinds] of Object.entries(TOYS[text] ?? {})) {
        const from = lines.findIndex((line) => isLine(line, `## ${title}`));
        if (from < 0) throw new Error(`${text} has no section "${title}" for its pictures`);
        const next = lines.findIndex((line, at) => at > from && line.startsWith('## '));
        lines.splice(
            next < 0 ? lines.length : next,
            0,
            ...kinds.map((kind) => `<GpuToy kind="${kind}" />\n`),
        );
    }
}

/** What comes before and after a text, as lines for its top: false or {text, link}. */
function order({ prev, next }) {
    return [`prev: ${JSON.stringify(prev)}`, `next: ${JSON.stringify(next)}`];
}

/** The same page in all languages, [{id, page}], if it has more than one. */
function languagesOf(text) {
    const original = originalOf(text);
    return translationOf(original) ? inLanguages((id) => pageIn(id, original)) : [];
}

/** [{id, page}] of a page in all languages; pageOf: its name by the language, '' for English. */
const inLanguages = (pageOf) =>
    ['', ...LANGUAGES.map(({ id }) => id)].map((id) => ({ id: id || 'en', page: pageOf(id) }));

/** The current language and all others of a page that comes from no text, as front matter. */
function inAllLanguages(name) {
    const all = translations().length > 0 ? inLanguages((id) => path.posix.join(id, name)) : [];
    const { id } = all.find(({ page }) => page === localPage(name).slice(1)) ?? {};
    return `languages: ${JSON.stringify(all)}${id && id !== 'en' ? `\nlanguage: ${id}` : ''}`;
}

/** Writes the page of a text; returns the sources that it quotes or links to. */
function page(text, players, labs, strips, { language = '', stale = {} } = {}) {
    buildIn(language);
    const file = textOf(text);
    const inLanguage = language === 'zh-Hans' ? simplified(file) : file;
    const markdown = language ? asPage(inLanguage, text, stale[text] ?? []).join('\n') : inLanguage;
    const { lines, sources } = shown(markdown, text, players, labs, strips, pageFor(text, language));
    for (const href of written(markdown)) {
        const to = target(href, text);
        if (to?.kind === 'file') sources.add(to.name);
    }
    copyPicturesOf(text, PAGES, language);
    const about = descriptionOf(text, markdown);
    const languages = languagesOf(text);
    const front = [
        `text: ${text}`,
        ...(language ? [`language: ${language}`] : []),
        ...(languages.length > 0 ? [`languages: ${JSON.stringify(languages)}`] : []),
        ...(about ? [`description: ${JSON.stringify(about)}`] : []),
        ...order(language ? neighboursIn(language, text) : neighbours(text)),
    ];
    write(pageIn(language, text), `---\n${front.join('\n')}\n---\n\n${lines.join('\n')}`);
    return sources;
}

/** Puts the pictures that a text shows or links to below a folder, with the words of a language ('' is English). */
function copyPicturesOf(text, folder, language = '') {
    const markdown = textOf(text);
    const said = new Map(
        [...markdown.matchAll(/!\[([^\]]*)\]\(([^()\s]+)\)/g)].map(([, words, href]) => [href, words]),
    );
    for (const href of written(markdown)) {
        const to = target(href, text);
        if (to?.kind !== 'picture') continue;
        const place = path.join(folder, pictureIn(language, to.name));
        fs.mkdirSync(path.dirname(place), { recursive: true });
        if (to.name.endsWith('.svg')) {
            const svg = textOf(to.name);
            const shown = language ? withWords(language, svg, said.get(href) ?? '') : svg;
            fs.writeFileSync(place, pictureOfBook(shown));
        } else fs.copyFileSync(path.join(ROOT, to.name), place);
    }
}

/** Pictures under their own names, where links lead to them. */
export function copyPictures(list) {
    for (const text of list) copyPicturesOf(text, OUT);
    for (const { id } of LANGUAGES) for (const text of translations()) copyPicturesOf(text, OUT, id);
}

/** For the file of an exercise, a link to it in the browser lab, from a page in its folder. */
function exerciseLink(name, page = { folder: path.posix.dirname(name), words: (word) => word }) {
    const found = /(?:^|\/)(ch\d+|first)_\w+\/exercises\/(ex\d+)_\w+\.cu$/.exec(name);
    if (!found || !hasPageLab()) return '';
    const words = page.words('Solve it in the browser lab');
    return `${labLink(page.folder, words, `#stage=exercise/${found[1]}/${found[2]}`)}\n\n`;
}

/** A source as a page with numbered lines. It is not searched: the texts are. */
function sourcePage(name) {
    const content = textOf(name).replace(/\n+$/, '');
    const title = name.replace(/_/g, '\\_');
    const language = CODE[path.extname(name)] ?? 'text';
    const front = `---\ntext: ${name}\ntitle: ${name}\nsource: true\nsearch: false\naside: false\noutline: false\ndescription: ${JSON.stringify(`${name}, a file of the tutorial, with an address for each line.`)}\n${order(neighbours(sourcePageOf(name))).join('\n')}\n---`;
    write(
        sourcePageOf(name),
        `${front}\n\n# ${title}\n\n${exerciseLink(name)}\`\`\`\`\`\`${language}\n${content}\n\`\`\`\`\`\`\n`,
    );
}

/** Pages are compiled to scripts that import Vue: it is looked for in the folders above them. */
function linkModules() {
    const link = path.join(WORK, 'node_modules');
    if (!fs.existsSync(link))
        fs.symlinkSync(path.relative(WORK, path.join(SITE, 'node_modules')), link, 'dir');
}

/**
 * Writes all pages. `players`: the stages that have a recording, as "ch03/shuffle"; `labs`: those of the
 * browser lab; `strips`: what goes below their headings.
 */
export function writePages(players, labs, strips) {
    fs.mkdirSync(PAGES, { recursive: true });
    linkModules();
    const steps = flights().flatMap((each) => each.steps);
    const sources = new Set([
        ...CHAPTERS.map(({ folder }) => `${folder}/main.cu`),
        ...steps.map(({ code }) => code.file),
    ]);
    const all = texts();
    const chinese = translations();
    const tools = ['', ...(chinese.length > 0 ? LANGUAGES.map(({ id }) => id) : [])].flatMap(writeTools);
    buildIn('');
    const own = ['map.md', 'index.md', ...tools];
    write('map.md', mapPage());
    write(
        'index.md',
        homePage(
            hasPageLab()
                ? './page_lab/#stage=examples/transpose&amp;go=count'
                : './play.html?chapter=ch03&stage=sequential&beside=coalesced',
        ),
    );
    for (const text of all) for (const source of page(text, players, labs, strips)) sources.add(source);
    const stale = chinese.length > 0 ? staleSections() : {};
    for (const { id } of LANGUAGES)
        for (const text of chinese)
            for (const source of page(text, players, labs, strips, { language: id, stale }))
                sources.add(source);
    buildIn('');
    for (const source of sources) sourcePage(source);
    const inChinese = LANGUAGES.flatMap(({ id }) => chinese.map((text) => pageIn(id, text)));
    removeOthers(new Set([...own, ...all.map(pageOf), ...inChinese, ...[...sources].map(sourcePageOf)]));
    return { texts: all, sources: [...sources].sort() };
}

/** Remove pages of texts that no longer exist. */
function removeOthers(wanted, folder = '') {
    for (const entry of fs.readdirSync(path.join(PAGES, folder), { withFileTypes: true })) {
        const name = path.posix.join(folder, entry.name);
        if (entry.isDirectory() && name !== 'public') removeOthers(wanted, name);
        else if (entry.name.endsWith('.md') && !wanted.has(name)) fs.rmSync(path.join(PAGES, name));
    }
}
