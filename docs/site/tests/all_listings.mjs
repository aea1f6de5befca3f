// Every listing of the book that runs in place, with the text that it is in.
import { excerpts } from '../build/excerpts.mjs';
import { listings } from '../build/listings.mjs';
import { fenced } from '../build/pages.mjs';
import { textOf } from '../build/places.mjs';
import { texts } from '../build/texts.mjs';

export const ALL = texts().flatMap((text) => {
    const markdown = textOf(text);
    const lines = markdown.split('\n');
    return listings(lines, fenced(lines), excerpts(markdown, text), text).map((each) => ({ ...each, text }));
});
