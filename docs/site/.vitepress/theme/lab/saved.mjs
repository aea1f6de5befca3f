// A program as a link that holds all of it; for an edited chapter, only the difference from the original.

import { t } from '../language.mjs';

async function through(bytes, { writable, readable }) {
    const writer = writable.getWriter();
    // An error is meant for the reader as well.
    for (const each of [writer.write(bytes), writer.close(), writer.closed]) each.catch(() => {});
    return new Response(readable).arrayBuffer();
}

/** Work as text for the part of an address after #: deflated, in characters allowed in an address. */
export async function packed(work) {
    const bytes = new TextEncoder().encode(JSON.stringify(work));
    const small = new Uint8Array(await through(bytes, new CompressionStream('deflate-raw')));
    const letters = Array.from(small, (each) => String.fromCharCode(each)).join('');
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The work in a link; an error if there is none, or if it was cut off. */
export async function unpacked(text) {
    try {
        const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(letters, (each) => each.charCodeAt(0));
        const all = await through(bytes, new DecompressionStream('deflate-raw'));
        return JSON.parse(new TextDecoder().decode(all));
    } catch {
        throw new Error(t`this link is not complete: ask for it again`);
    }
}

/** What turns `original` into `text`: how much of its beginning and end is kept. */
export function changeOf(original, text) {
    const least = Math.min(original.length, text.length);
    let first = 0;
    while (first < least && original[first] === text[first]) ++first;
    let last = 0;
    while (last < least - first && original.at(-1 - last) === text.at(-1 - last)) ++last;
    return { first, last, text: text.slice(first, text.length - last), of: sumOf(original) };
}

/** The changed text; an error if the original is not the same. */
export function changed(original, { first, last, text, of }) {
    if (of !== sumOf(original)) throw new Error(t`this link is an edit of another version of this chapter`);
    return original.slice(0, first) + text + original.slice(original.length - last);
}

/** FNV-1a, to tell one version from another. */
function sumOf(text) {
    let sum = 0x811c9dc5;
    for (let i = 0; i < text.length; ++i) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193) >>> 0;
    return sum;
}
