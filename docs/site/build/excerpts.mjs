// Excerpts of sources in the texts, and the lines that they come from.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, textOf } from './places.mjs';

const BEGIN = /^<!-- (excerpt|file) (\S+)(.*?) ?-->$/;

function sourceFile(name, text) {
    for (const folder of [path.posix.dirname(text), '.']) {
        const found = path.posix.normalize(path.posix.join(folder, name));
        if (fs.existsSync(path.join(ROOT, found))) return found;
    }
    throw new Error(`${text}: ${name} does not exist`);
}

function dedented(lines) {
    const least = Math.min(...lines.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length));
    return lines.map((line) => line.slice(Math.min(least, line.length)));
}

/** The first line (from 1) at which the file contains these lines, whatever their indentation; 0: nowhere. */
export function firstLine(file, lines) {
    const wanted = dedented(lines).join('\n');
    for (let at = 0; at + lines.length <= file.length; ++at) {
        if (file[at].trim() !== lines[0].trim()) continue;
        if (dedented(file.slice(at, at + lines.length)).join('\n') === wanted) return at + 1;
    }
    return 0;
}

/** All marked blocks of a text: {kind, file, line, end, first, last}, `line` is that of the opening fence. */
export function excerpts(markdown, text) {
    const found = [];
    const lines = markdown.split('\n');
    lines.forEach((line, at) => {
        const marker = BEGIN.exec(line);
        if (!marker || !/^`{3,}/.test(lines[at + 1] ?? '')) return;
        const [, kind, name] = marker;
        const fence = /^`+/.exec(lines[at + 1])[0];
        const end = lines.findIndex((each, i) => i > at + 1 && each === fence);
        const file = sourceFile(name, text);
        const body = lines.slice(at + 2, end);
        const source = textOf(file).split('\n');
        const first = firstLine(source, body);
        if (first === 0)
            throw new Error(`${text}:${at + 1}: the excerpt is not in ${file}: run ./tutorial docs`);
        found.push({ kind, file, line: at + 1, end, first, last: first + body.length - 1 });
    });
    return found;
}
