// What a term means: the glossary's first sentence or two, for links that lead there.
import fs from 'node:fs';
import path from 'node:path';
import { plain, shortened } from './describe.mjs';
import { ROOT } from './places.mjs';
import { slug } from './slug.mjs';

const LONGEST = 240;

/** Anchor -> what is said there: of headings, and of the anchors within what follows them. */
export function meanings(markdown) {
    const found = new Map();
    for (const section of markdown.split(/^### /m).slice(1)) {
        const [title, ...rest] = section.split('\n');
        const body = rest.join('\n').split(/^## /m)[0];
        const text = shortened(plain(body), LONGEST);
        found.set(slug(plain(title)), text);
        for (const [, anchor] of body.matchAll(/<a id="([^"]+)">/g)) found.set(anchor, text);
    }
    return found;
}

let known;
/** What the glossary says at an anchor, or undefined. */
export function meaningAt(anchor) {
    known ??= meanings(fs.readFileSync(path.join(ROOT, 'docs/glossary.md'), 'utf8'));
    return known.get(anchor);
}
