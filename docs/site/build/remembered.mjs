// Highlighting takes most of the build's time: what was highlighted once is kept, by its content.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { SITE, WORK } from './places.mjs';

const FOLDER = path.join(WORK, 'highlighted');
const HOW = ['package-lock.json', 'build/cuda_grammar.mjs', '.vitepress/config.mjs']
    .map((name) => fs.readFileSync(path.join(SITE, name), 'utf8'))
    .join('\0');

/** The same function, which first looks up earlier answers. */
export function remembered(highlight) {
    fs.mkdirSync(FOLDER, { recursive: true });
    return (code, language, attributes) => {
        const name = createHash('sha256').update([HOW, language, attributes, code].join('\0')).digest('hex');
        const file = path.join(FOLDER, `${name}.html`);
        if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8');
        const html = highlight(code, language, attributes);
        fs.writeFileSync(file, html);
        return html;
    };
}
