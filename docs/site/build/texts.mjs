// Which texts become pages, and in which order they are read.
import fs from 'node:fs';
import path from 'node:path';
import { CHAPTERS, ROOT, textOf } from './places.mjs';

/** The name of an English text: README.zh-Hant.md is not one. */
const ENGLISH = /^[^.]+\.md$/;

/** Folders that hold no text of the book. */
const SKIPPED = new Set(['build', 'node_modules', '__pycache__']);

/** Notes for graders, not for those who will solve the exercise. */
const NOTES = /^(?:ch\d\d_\w+|docs\/first_kernel)\/grading$/;

/** All texts of the repository whose names are of this form, relative to it, but for graders' notes. */
export function textsNamed(form, folder = '') {
    const found = [];
    for (const entry of fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
        if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue;
        const name = path.posix.join(folder, entry.name);
        if (entry.isDirectory()) found.push(...textsNamed(form, name));
        else if (form.test(entry.name) && !NOTES.test(folder)) found.push(name);
    }
    return found.sort();
}

export const texts = () => textsNamed(ENGLISH);

/** The page of a text: README.md is its folder's. The site has a front page of its own. */
export function pageOf(text) {
    if (text === 'README.md') return 'overview.md';
    return text.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The address of a page, below the site's. */
export const linkTo = (page) => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`;

const link = (text) => linkTo(pageOf(text));

const AFTER_README = ['fastest.md', 'results.md', 'multi_gpu.md'];

/** The pages of a chapter besides its README.md, in reading order. `folder`: the chapter's. */
export function pagesBeside(folder, root = ROOT) {
    const place = (name) => (AFTER_README.includes(name) ? AFTER_README.indexOf(name) : AFTER_README.length);
    return fs
        .readdirSync(path.join(root, folder))
        .filter((name) => ENGLISH.test(name) && name !== 'README.md')
        .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
        .map((name) => `${folder}/${name}`);
}

/** The title of a page in the sidebar, where the chapter is named above it: "# Chapter 1: more" is "More". */
export function shortTitle(markdown) {
    const [, title] = /^# (.+)$/m.exec(markdown) ?? ['', 'More'];
    const short = title.replace(/^chapter \d+[:,]?\s*/i, '').replaceAll('`', '');
    return short[0].toUpperCase() + short.slice(1);
}

/** In learning order. */
export function sidebar() {
    const page = (title, text) => ({ text: title, link: link(text) });
    const chapter = ({ folder, title, number }) => ({
        text: `${number}  ${title}`,
        link: `/${folder}/`,
        collapsed: true,
        items: [
            ...pagesBeside(folder).map((text) => page(shortTitle(textOf(text)), text)),
            { text: 'Exercises', link: `/${folder}/exercises/` },
            { text: 'main.cu', link: `/${folder}/main.cu.html` },
        ],
    });
    return [
        {
            text: 'First steps',
            items: [
                { text: 'Welcome', link: '/' },
                page('Overview', 'README.md'),
                { text: 'The learning path', link: '/map.html' },
                page('The browser lab', 'docs/page_lab.md'),
                page('How to start', 'docs/start.md'),
                page('How a GPU works', 'docs/gpu.md'),
                page('The first kernel', 'docs/first_kernel.md'),
                page('Ten warm-ups', 'docs/first_kernel/exercises/README.md'),
                page('A program of your own', 'docs/own_programs.md'),
                page('Examples to start from', 'docs/examples/README.md'),
            ],
        },
        { text: 'Chapters', items: CHAPTERS.map(chapter) },
        {
            text: 'Reading the output',
            items: [
                { text: 'The stage player', link: '/play.html' },
                page('Reading the counts', 'docs/counts.md'),
                page('Finding faults', 'docs/faults.md'),
                page('How we measure', 'docs/measuring.md'),
                page('Results', 'docs/results/README.md'),
                page('More than one GPU', 'docs/many_gpus.md'),
            ],
        },
        {
            text: 'To look things up',
            items: [
                page('All pages', 'docs/README.md'),
                page('Devices', 'docs/devices.md'),
                page('Which parts of CUDA run here', 'docs/coverage.md'),
                page('Glossary', 'docs/glossary.md'),
                page('Sources', 'docs/sources.md'),
            ],
        },
        {
            text: 'Teaching and contributing',
            items: [
                page('Teaching with it', 'docs/teaching.md'),
                page('Add a stage, an exercise, a chapter', 'docs/CONTRIBUTING.md'),
                page('Exercises: their form', 'common/grading/README.md'),
                page('Behind the scenes', 'common/README.md'),
                page('The tools that make the texts', 'docs/tools/README.md'),
                page('The book', 'docs/site/README.md'),
            ],
        },
    ];
}

/** The recommended path through the book, as docs/README.md has it: [title, text]. */
export function recommended() {
    return [
        ['Overview', 'README.md'],
        ['How to start', 'docs/start.md'],
        ['How a GPU works', 'docs/gpu.md'],
        ['The first kernel', 'docs/first_kernel.md'],
        ['Ten warm-ups', 'docs/first_kernel/exercises/README.md'],
        ...CHAPTERS.flatMap(({ folder, title, number }) => [
            [`${number}  ${title}`, `${folder}/README.md`],
            [`Exercises of chapter ${number}`, `${folder}/exercises/README.md`],
        ]),
    ];
}

/**
 * What comes before and after a text, {prev, next}: {text, link} or false. A chapter's other pages are side
 * branches: they lead back to the chapter, and on to what follows it. All others have neither.
 */
export function neighbours(text) {
    const all = recommended();
    const at = (number) => {
        if (!all[number]) return false;
        const [title, name] = all[number];
        return { text: title, link: link(name) };
    };
    const place = all.findIndex(([, name]) => name === text);
    if (place >= 0) return { prev: at(place - 1), next: at(place + 1) };
    const isAside = CHAPTERS.some(({ folder }) => path.posix.dirname(text) === folder);
    if (!isAside) return { prev: false, next: false };
    const chapter = all.findIndex(([, name]) => name === `${path.posix.dirname(text)}/README.md`);
    return { prev: at(chapter), next: at(chapter + 1) };
}
