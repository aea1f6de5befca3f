// Prints the test files that need a browser and are run today: those of SUBJECTS every fifth day, and when the
// last commits have changed the test itself or what it is about; the others always.
//
//   node tests/chosen.mjs        the chosen files, one a line
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SITE } from '../build/places.mjs';
import { CHANGED, inTurn } from '../page_lab/tests/turn.mjs';

const PARTS = 5;
const FOLDER = 'docs/site/';
const THEME = '.vitepress/theme/';
const LAB = [`${THEME}lab`, 'page_lab'];
/** What all of them are about. */
const ALL = ['package-lock.json', '.vitepress/config.mjs', `${THEME}index.mjs`, `${THEME}style.css`];
/** The files and folders of docs/site that a test is about. Half a minute is too short to be here. */
const SUBJECTS = {
    exercises: LAB,
    figures: [`${THEME}pictures.mjs`, 'build/figures.mjs'],
    firefox: LAB,
    home: [`${THEME}home`, `${THEME}player`, 'build/home.mjs', ...LAB],
    lab_visits: LAB,
    lab_work: LAB,
    listings: [`${THEME}listing`, 'build/listings.mjs', 'listings.mjs', ...LAB],
    page_edit: LAB,
    page_lab: LAB,
    player: [`${THEME}player`, 'build/compile_trace.mjs', 'recordings.mjs'],
    toys: [`${THEME}toys`],
};

/** Whether a changed file is one of `subjects` or is below it; a folder's tests are another subject. */
export function concerns(file, subjects) {
    return subjects.some(
        (each) =>
            file === each || (file.startsWith(`${each}/`) && !file.slice(each.length).includes('/tests/')),
    );
}

function chosen() {
    for (const each of [...ALL, ...Object.values(SUBJECTS).flat()])
        if (!fs.existsSync(path.join(SITE, each))) throw new Error(`there is no docs/site/${each}`);
    const changed = [...CHANGED]
        .filter((file) => file.startsWith(FOLDER))
        .map((file) => file.slice(FOLDER.length));
    const isDue = (name) =>
        changed.some((file) => concerns(file, [...ALL, ...SUBJECTS[name], `tests/${name}.test.mjs`]));
    const today = new Set(inTurn(Object.keys(SUBJECTS), PARTS, isDue));
    const usesABrowser = (name) =>
        /from '\.\/(?:browser|lanes)\.mjs'/.test(fs.readFileSync(path.join(SITE, name), 'utf8'));
    const every = fs
        .readdirSync(path.join(SITE, 'tests'))
        .map((file) => ({ file: `tests/${file}`, name: file.replace(/\.test\.mjs$/, '') }))
        .filter(({ file }) => file.endsWith('.test.mjs') && usesABrowser(file));
    return every.filter(({ name }) => !(name in SUBJECTS) || today.has(name)).map(({ file }) => file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const file of chosen()) console.log(file);
