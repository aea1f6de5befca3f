// createCompiler()'s `load` under Node: from the packages, from the repository, and from what
// libraries.mjs has made.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../build/places.mjs';
import { makeFibers } from './fibers.mjs';
import { CACHE } from './libraries.mjs';
import { textsBelow } from './node_files.mjs';
import { llvm } from './node_llvm.mjs';
import { HEADER_FOLDERS } from './options.mjs';
import { COPIES } from './translator.mjs';

const bytesOf = (name) => new Uint8Array(fs.readFileSync(path.join(CACHE, name)));

export async function load(name) {
    switch (name) {
        case 'llvm':
            return llvm();
        case 'fibers':
            return fibers;
        case 'small fibers':
            return (binary, indirect) => fibers(binary, indirect, 1);
        case 'translate':
            return translate;
        case 'attempt':
            return attempt;
        case 'headers.json':
            return headers();
        case 'harness/libharness.a':
            return bytesOf('libharness.a');
        case 'harness/chapter_lab.o':
            return bytesOf('objects/chapter_lab_cpp.o');
        default:
            return bytesOf(name);
    }
}

/** {path: text} of all headers that a program may include. */
export function headers() {
    const found = {};
    for (const folder of HEADER_FOLDERS) Object.assign(found, textsBelow(path.join(ROOT, folder), folder));
    const harness = path.join(ROOT, 'common/harness');
    return Object.assign(found, textsBelow(harness, 'tutorial/common/harness', isHeader));
}

const isHeader = (name) => /\.(hpp|cuh)$/.test(name) && !/\/(tests|multi_gpu)\//.test(name);

const fibers = async (binary, indirect, level) =>
    makeFibers((await import('binaryen')).default, binary, indirect, level);

/** common/grading/check/page.py, by this machine's Python. */
async function attempt(id, file, text) {
    const input = JSON.stringify({ id, file, text });
    const program = path.join(ROOT, 'common/grading');
    return JSON.parse(execFileSync('python3', [program, 'page', 'attempt'], { input, maxBuffer: 1 << 26 }));
}

/** translate.py, by this machine's Python; a page has Pyodide (translator.mjs says what it gives). */
async function translate(name, text, others = {}) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-'));
    try {
        for (const [file, content] of Object.entries({ ...others, [name]: text })) {
            fs.mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
            fs.writeFileSync(path.join(folder, file), content);
        }
        const output = path.join(folder, 'out.cpp');
        const copies = path.join(folder, COPIES);
        const program = path.join(ROOT, 'common/emulator/translate.py');
        const args = [program, path.join(folder, name), output, '--source-root', folder, '--copies', copies];
        execFileSync('python3', args, { stdio: ['ignore', 'ignore', 'pipe'] });
        const inPage = (made) => made.replaceAll(`"${folder}/`, '"/src/');
        const made = fs.existsSync(copies) ? textsBelow(copies, COPIES) : {};
        return {
            text: inPage(fs.readFileSync(output, 'utf8')),
            copies: Object.fromEntries(Object.entries(made).map(([file, copy]) => [file, inPage(copy)])),
            said: '',
        };
    } catch (error) {
        return { said: String(error.stderr ?? error.message).replaceAll(`${folder}/`, '/src/') };
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}
