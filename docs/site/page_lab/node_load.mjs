// createCompiler()'s `load` under Node: from the packages, from the repository, and from what
// libraries.mjs has made.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../build/places.mjs';
import { CACHE } from './libraries.mjs';
import { filesBelow } from './node_files.mjs';
import { HEADER_FOLDERS } from './options.mjs';

export async function load(name) {
    switch (name) {
        case 'clang':
            return import('@yowasp/clang');
        case 'binaryen':
            return (await import('binaryen')).default;
        case 'translate':
            return translate;
        case 'attempt':
            return attempt;
        case 'headers.json':
            return headers();
        default:
            return new Uint8Array(fs.readFileSync(path.join(CACHE, name)));
    }
}

/** {path: text} of all headers that a program may include. */
export function headers() {
    const decoder = new TextDecoder();
    const found = {};
    for (const folder of HEADER_FOLDERS) {
        for (const [name, bytes] of Object.entries(filesBelow(path.join(ROOT, folder), folder))) {
            found[name] = decoder.decode(bytes);
        }
    }
    const harness = filesBelow(path.join(ROOT, 'common/harness'), 'tutorial/common/harness', isHeader);
    for (const [name, bytes] of Object.entries(harness)) found[name] = decoder.decode(bytes);
    return found;
}

const isHeader = (name) => /\.(hpp|cuh)$/.test(name) && !/\/(tests|multi_gpu)\//.test(name);

/** common/grading/check/page.py, by this machine's Python. */
async function attempt(id, file, text) {
    const input = JSON.stringify({ id, file, text });
    const program = path.join(ROOT, 'common/grading');
    return JSON.parse(execFileSync('python3', [program, 'page', 'attempt'], { input, maxBuffer: 1 << 26 }));
}

/** translate.py, by this machine's Python; a page has Pyodide. */
async function translate(name, text) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-'));
    try {
        const source = path.join(folder, name);
        fs.writeFileSync(source, text);
        const output = path.join(folder, 'out.cpp');
        const program = path.join(ROOT, 'common/emulator/translate.py');
        const args = [
            program,
            source,
            output,
            '--source-root',
            folder,
            '--copies',
            path.join(folder, 'copies'),
        ];
        execFileSync('python3', args, { stdio: ['ignore', 'ignore', 'pipe'] });
        return { text: fs.readFileSync(output, 'utf8').replaceAll(`"${folder}/`, '"/src/'), said: '' };
    } catch (error) {
        return { said: String(error.stderr ?? error.message).replaceAll(`${folder}/`, '/src/') };
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}
