// What a term means: the glossary's first sentence or two, for links that lead there.
import { simplified } from './chinese.mjs';
import { plain, shortened } from './describe.mjs';
import { textOf } from './places.mjs';
import { slug } from './slug.mjs';

const LONGEST = 240;

/** Anchor -> the text there: for headings, and for the anchors in the text below them. */
export function meanings(markdown) {
    const found = new Map();
    for (const section of markdown.split(/^### /m).slice(1)) {
        const [title, ...rest] = section.split('\n');
        const body = rest.join('\n').split(/^## /m)[0];
        const text = shortened(plain(body), LONGEST);
        found.set(slug(plain(title)), text);
        for (const [, anchor] of `${title}${body}`.matchAll(/<a id="([^"]+)">/g)) found.set(anchor, text);
    }
    return found;
}

const known = new Map();
/** What the glossary of a language ('' is English) says at an anchor, or undefined. */
export function meaningAt(anchor, language = '') {
    if (!known.has(language)) {
        const file = language ? 'glossary.zh-Hant.md' : 'glossary.md';
        const text = textOf('docs', file);
        known.set(language, meanings(language === 'zh-Hans' ? simplified(text) : text));
    }
    return known.get(language).get(anchor);
}
