// The numbers of figures: "3.2" is the second of chapter 3, over all its pages; other texts count from 1.
import path from 'node:path';
import { CHAPTERS, textOf } from './places.mjs';
import { pagesBeside } from './texts.mjs';

/** A paragraph that is one picture and nothing else. */
const FIGURE = /^!\[[^\]]*\]\([^()\s]+\)$/gm;

/** How many figures a text has. */
export function figuresIn(markdown) {
    return [...markdown.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '').matchAll(FIGURE)].length;
}

/** The number of a text's figure: the first is 0. */
export function figureNumber(text, at) {
    const chapter = CHAPTERS.find(({ folder }) => path.posix.dirname(text) === folder);
    if (!chapter) return String(at + 1);
    const pages = [`${chapter.folder}/README.md`, ...pagesBeside(chapter.folder)];
    const before = pages
        .slice(0, pages.indexOf(text))
        .reduce((sum, page) => sum + figuresIn(textOf(page)), 0);
    return `${chapter.number}.${before + at + 1}`;
}

/** The target of links to a figure. */
export function figureAnchor(number) {
    return `figure-${number.replace('.', '-')}`;
}

/** "Figure 3.2" as a link to itself, and what the figure shows. `word`: "Figure" in the page's language. */
export function captionHtml(number, words, word = 'Figure') {
    return `<figcaption class="figure-caption"><a href="#${figureAnchor(number)}">${word}&nbsp;${number}</a> ${words}</figcaption>`;
}
