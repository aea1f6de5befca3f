// The page with the learning path: every page in the order of reading, its sections, the exercises below the section
// that prepares them. `./tutorial map` prints the same, with what is solved.
import fs from 'node:fs';
import path from 'node:path';
import { CHAPTERS, ROOT } from './places.mjs';
import { slug } from './slug.mjs';
import { pageOf, pagesBeside } from './texts.mjs';

const FIRST = 'docs/first_kernel';

/** Headings of a text: {level, title, anchor}, without those in code. */
export function headings(markdown) {
    let inCode = false;
    const found = [];
    for (const line of markdown.split('\n')) {
        if (/^ {0,3}```/.test(line)) inCode = !inCode;
        const heading = !inCode && /^(#{1,3}) (.*?)\s*$/.exec(line);
        if (!heading) continue;
        const plain = heading[2].replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
        found.push({ level: heading[1].length, title: plain, anchor: slug(plain.replaceAll('`', '')) });
    }
    return found;
}

/** Exercises of a folder, in their order: {id, title, read: 'ch01_bubble/README.md', anchor}. */
function exercises(folder) {
    const grading = path.join(ROOT, folder, 'grading');
    const number = (name) => Number(/^ex(\d+)_/.exec(name)[1]);
    return fs
        .readdirSync(grading)
        .filter((name) => /^ex\d+_\w+\.md$/.test(name))
        .sort((a, b) => number(a) - number(b))
        .map((name) => {
            const text = fs.readFileSync(path.join(grading, name), 'utf8');
            const [file, anchor] = /^read: (.*)$/m.exec(text)[1].split('#');
            const title = /^# (.*)$/m.exec(text)[1];
            const read = path.posix.normalize(path.posix.join(folder, file));
            return { id: `ex${number(name)}`, title, read, anchor };
        });
}

function part(title, folder, files) {
    const mine = exercises(folder);
    const lines = [`## ${title}`, ''];
    const placed = new Set();
    const line = ({ id, title: name }) => `exercise ${id}: [${name}](./${folder}/exercises/index.md)`;
    for (const file of files) {
        const found = headings(fs.readFileSync(path.join(ROOT, file), 'utf8'));
        const page = `./${pageOf(file)}`;
        lines.push(`- [**${found[0].title}**](${page})`);
        for (const { level, title: section, anchor } of found.slice(1)) {
            const here = mine.filter((exercise) => exercise.read === file && exercise.anchor === anchor);
            if (level === 3 && here.length === 0) continue;
            lines.push(`  - [${section}](${page}#${anchor})`);
            for (const exercise of here) {
                lines.push(`    - ${line(exercise)}`);
                placed.add(exercise.id);
            }
        }
    }
    // What is prepared by a page of another part.
    for (const exercise of mine.filter(({ id }) => !placed.has(id))) lines.push(`- ${line(exercise)}`);
    return lines.join('\n');
}

/** The page, as Markdown. */
export function mapPage() {
    const parts = [
        part('The first kernel', FIRST, ['docs/gpu.md', `${FIRST}.md`]),
        ...CHAPTERS.map(({ folder, title, number }) =>
            part(`${number}  ${title}`, folder, [`${folder}/README.md`, ...pagesBeside(folder)]),
        ),
    ];
    return `---
title: The learning path
description: All pages in the order of reading, with their sections and the exercises that they prepare.
editLink: false
prev: false
next: false
---

# The learning path

All pages in the order of reading, with their sections; each exercise is below the section that
prepares it. \`./tutorial map\` prints the same in the terminal, and marks what you have solved.

${parts.join('\n\n')}
`;
}
