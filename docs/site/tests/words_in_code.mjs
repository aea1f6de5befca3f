// What components and the build say: the keys of t`…`, en`…` and counted(…, '…') in their sources.
import fs from 'node:fs';
import path from 'node:path';
import { SITE } from '../build/places.mjs';

/** The end of a template that begins before `at`: the position of its last backtick; values() is called for
 *  each value. */
function endOfTemplate(code, at, part = () => {}, value = () => {}) {
    let i = at;
    for (; code[i] !== '`'; ++i) {
        if (code.startsWith('${', i)) {
            i = endOfValue(code, i + 2);
            value();
        } else part(code[i]);
    }
    return i;
}

/** The end of a value's braces that begin before `at`. */
function endOfValue(code, at) {
    let depth = 1;
    let i = at;
    for (; depth > 0; ++i) {
        if (code[i] === '`') i = endOfTemplate(code, i + 1);
        else if (code[i] === "'") i = code.indexOf("'", i + 1);
        else depth += { '{': 1, '}': -1 }[code[i]] ?? 0;
    }
    return i - 1;
}

/** The form in words/interface.mjs: 'Step {0} of {1}', '# sector'. */
export function keysIn(code) {
    const found = [...code.matchAll(/(?<![\w.$`])(?:t|en)`/g)].map(({ index, 0: { length } }) => {
        let key = '';
        let values = 0;
        endOfTemplate(
            code,
            index + length,
            (letter) => (key += letter),
            () => (key += `{${values++}}`),
        );
        return key;
    });
    const units = [...code.matchAll(/\b(?:counted|count|whole)\([^;`]*?, '([a-z ]+)'(?:, '[a-z]+')?\)/g)];
    return [...found, ...units.map(([, one]) => `# ${one}`)];
}

function sourcesIn(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const name = path.join(folder, entry.name);
        if (entry.isDirectory()) return sourcesIn(name);
        return /\.(?:vue|mjs)$/.test(name) && entry.name !== 'language.mjs' ? [name] : [];
    });
}

/** Key -> the file that contains it. */
export function wordsInCode() {
    const files = ['.vitepress/theme', 'build'].flatMap((name) => sourcesIn(path.join(SITE, name)));
    return new Map(
        files.flatMap((file) => {
            const code = fs.readFileSync(file, 'utf8');
            if (!code.includes("/language.mjs'")) return [];
            return keysIn(code).map((key) => [key, path.relative(SITE, file)]);
        }),
    );
}
