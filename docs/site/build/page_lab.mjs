// Puts the page lab's files beside its page: its own scripts, the tools from npm, what the build has made.
import fs from 'node:fs';
import path from 'node:path';
import { pack } from './pack.mjs';
import { OUT, ROOT, SITE } from './places.mjs';

const LAB = path.join(OUT, 'page_lab');
const MODULES = path.join(SITE, 'node_modules');
/** What the page lab's workers share with the build. */
const SHARED = ['compile_trace.mjs', 'lockstep.mjs', 'read_trace.mjs', 'values.mjs'];
const PYODIDE = [
    'pyodide.mjs',
    'pyodide.asm.mjs',
    'pyodide.asm.wasm',
    'python_stdlib.zip',
    'pyodide-lock.json',
];

/** Only on demand, until the build also makes the libraries and the ready-made programs. */
export function hasPageLab() {
    return process.env.TUTORIAL_PAGE_LAB === '1';
}

function copy(from, to, wanted = () => true) {
    fs.mkdirSync(to, { recursive: true });
    for (const name of fs.readdirSync(from)) {
        if (wanted(name)) fs.copyFileSync(path.join(from, name), path.join(to, name));
    }
}

/** The sources of translate.py, by their names: {name: text}. */
function translatorSources() {
    const folder = path.join(ROOT, 'common/emulator');
    const rewriting = fs.readdirSync(path.join(folder, 'rewriting')).map((name) => `rewriting/${name}`);
    const names = ['translate.py', ...rewriting.filter((name) => name.endsWith('.py'))];
    return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]));
}

async function copyCompiler() {
    const { load } = await import('../page_lab/node_load.mjs');
    copy(path.join(MODULES, '@yowasp/clang/gen'), path.join(LAB, 'clang'));
    copy(path.join(MODULES, 'pyodide'), path.join(LAB, 'pyodide'), (name) => PYODIDE.includes(name));
    fs.copyFileSync(path.join(MODULES, 'binaryen/index.js'), path.join(LAB, 'binaryen.js'));
    fs.writeFileSync(path.join(LAB, 'headers.json'), JSON.stringify(await load('headers.json')));
    fs.writeFileSync(path.join(LAB, 'translator.json'), JSON.stringify(translatorSources()));
    for (const name of ['liblab.a', 'libemulator.a'])
        fs.writeFileSync(path.join(LAB, name), await load(name));
}

export async function copyPageLab() {
    if (!hasPageLab()) return;
    copy(path.join(SITE, 'page_lab'), LAB, (name) => /\.m?js$/.test(name));
    copy(path.join(SITE, 'build'), path.join(OUT, 'build'), (name) => SHARED.includes(name));
    await copyCompiler();
    await pack(LAB);
}
