// The pictures of an exercise: those of the section of the book that prepares it.
import path from 'node:path';
import { target } from '../build/links.mjs';
import { textOf } from '../build/places.mjs';
import { slug } from '../build/slug.mjs';

/** A single # is a text's title, or a comment in a block of code. */
const HEADING = /^(#{2,}) (.*)$/;
/** In Chinese a heading begins with the anchor of the English one. */
const NAMED = /^<a id="([^"]+)">/;
const IMAGE = /!\[([^\]]*)\]\(\s*([^()\s]+)[^()]*\)/g;

/** The lines of a text below a heading, up to the next one that is not below it; none without the heading. */
export function sectionOf(markdown, anchor) {
    const found = [];
    let depth = 0;
    for (const line of markdown.split('\n')) {
        const [, marks, title] = HEADING.exec(line) ?? [];
        if (depth && marks?.length <= depth) break;
        if (depth) found.push(line);
        else if (marks && (NAMED.exec(title)?.[1] ?? slug(title)) === anchor) depth = marks.length;
    }
    return found.join('\n');
}

/** [{name: the file in the repository, words: what it shows}] of a link from an exercise's folder.
 *  `translationOf`: the text in another language, or ''. */
export function taskPictures({ folder, read }, translationOf = () => '') {
    const [file, anchor] = read.split('#');
    const english = path.posix.join(folder, file);
    const text = translationOf(english) || english;
    const section = sectionOf(textOf(text), anchor);
    return [...section.matchAll(IMAGE)]
        .map(([, words, href]) => ({ words, to: target(href, text) }))
        .filter(({ to }) => to?.kind === 'picture')
        .map(({ words, to: { name } }) => ({ name, words }));
}
