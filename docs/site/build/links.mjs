// Links between texts and files of the repository, as links between pages.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './places.mjs';
import { originalOf, pageIn, pictureIn, translationOf } from './chinese.mjs';

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
const PICTURE = /\.(?:svg|png|jpe?g|webp)$/;

/** What a relative link in a text means: a text, a file, a picture; null: another site, this page. */
export function target(href, text) {
    if (ELSEWHERE.test(href) || href.startsWith('#') || href === '') return null;
    const [name, anchor] = href.split('#');
    let found = path.posix.normalize(path.posix.join(path.posix.dirname(text), decodeURIComponent(name)));
    found = found.replace(/\/$/, '');
    const place = path.join(ROOT, found);
    if (!fs.existsSync(place)) return { kind: 'missing', name: found, anchor };
    if (fs.statSync(place).isDirectory()) {
        const readme = path.posix.join(found, 'README.md');
        return fs.existsSync(path.join(ROOT, readme))
            ? { kind: 'text', name: readme, anchor }
            : { kind: 'folder', name: found, anchor };
    }
    if (found.endsWith('.md')) return { kind: 'text', name: found, anchor };
    return { kind: PICTURE.test(found) ? 'picture' : 'file', name: found, anchor };
}

/** The page of a source. VitePress looks into no folder whose name begins with a dot. */
export function sourcePageOf(name) {
    return `${name.replace(/(^|\/)\./g, '$1dot-')}.md`;
}

/** The same link between pages in a language ('' is English): to the page in this language, if there is one. */
export function rewritten(href, text, repository, language = '') {
    const to = target(href, text);
    if (to === null || (to.kind === 'picture' && !language)) return href;
    const hash = to.anchor ? `#${to.anchor}` : '';
    if (to.kind === 'missing') throw new Error(`${text}: ${href} leads nowhere`);
    if (to.kind === 'folder') return repository ? `${repository}/tree/main/${to.name}` : null;
    const isThere = to.kind === 'text' && translationOf(originalOf(to.name)) !== '';
    const page = {
        text: () => pageIn(isThere ? language : '', to.name),
        picture: () => pictureIn(language, to.name),
        file: () => sourcePageOf(to.name),
    }[to.kind]();
    const relative = path.posix.relative(path.posix.dirname(pageIn(language, text)), page);
    return (relative.startsWith('.') ? relative : `./${relative}`) + hash;
}

/** Every relative link in a text, even in code: that is more than needed, but harmless. */
export function* written(markdown) {
    for (const [, href] of markdown.matchAll(/\]\(\s*<?([^()\s<>]+)>?[^()]*\)/g)) yield href;
    for (const [, href] of markdown.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm)) yield href;
    for (const [, href] of markdown.matchAll(/\b(?:src|href)="([^"]+)"/g)) yield href;
}
