// Puts the browser lab's files next to its page: its own scripts, the tools from npm, what the build has
// made.
import fs from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from './languages.mjs';
import { dropOthers, pack } from './pack.mjs';
import { CHAPTERS, OUT, ROOT, SITE, WORK } from './places.mjs';

const LAB = path.join(OUT, 'page_lab');
const MODULES = path.join(SITE, 'node_modules');
/** What the browser lab's workers share with the build. */
const SHARED = ['compile_trace.mjs', 'lockstep.mjs', 'read_trace.mjs', 'values.mjs'];
const PYODIDE = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'pyodide-lock.json'];
/** Pyodide asks for Python's library. The parts in use are in python.image, so this archive is empty. */
const NO_LIBRARY = Buffer.from('504b0506'.padEnd(44, '0'), 'hex');

/** What the compiler reads and links; what is below harness/ comes with a chapter that is edited. */
const BINARIES = [
    'headers.pch',
    'liblab.a',
    'libemulator.a',
    'harness/libharness.a',
    'harness/chapter_lab.o',
];

/** Its libraries and programs take minutes to make the first time; for work on texts it can be left out. */
export function hasPageLab() {
    return process.env.TUTORIAL_PAGE_LAB !== '0';
}

function copy(from, to, wanted = () => true) {
    fs.mkdirSync(to, { recursive: true });
    for (const name of fs.readdirSync(from)) {
        if (wanted(name)) fs.copyFileSync(path.join(from, name), path.join(to, name));
    }
}

/** What the texts can link to in the browser lab: "ch03/shuffle", "gallery/NAME", "first/NAME". */
export function labLinks(recordings) {
    if (!hasPageLab()) return new Set();
    const stages = CHAPTERS.flatMap(({ id }) =>
        Object.keys(recordings[id]?.stages ?? {}).map((stage) => `${id}/${stage}`),
    );
    const programs = (folder, group) =>
        fs
            .readdirSync(path.join(ROOT, folder))
            .filter((name) => name.endsWith('.cu'))
            .map((name) => `${group}/${path.basename(name, '.cu')}`);
    return new Set([
        ...stages,
        ...programs('common/lab/fault_gallery', 'gallery'),
        ...programs('docs/first_kernel', 'first'),
        ...programs('docs/first_kernel/mistakes', 'first'),
    ]);
}

async function copyCompiler() {
    const names = ['node_load', 'node_llvm', 'node_binaryen', 'tools', 'build_python'];
    const [{ load }, { llvmFiles }, { binaryenParts }, { packFiles }, { pythonImage }] = await Promise.all(
        names.map((name) => import(`../page_lab/${name}.mjs`)),
    );
    for (const name of ['llvm.wasm', 'llvm_rest.wasm'])
        fs.writeFileSync(path.join(LAB, name), await load(name));
    fs.writeFileSync(path.join(LAB, 'llvm.files'), packFiles(llvmFiles()));
    copy(path.join(MODULES, 'pyodide'), path.join(LAB, 'pyodide'), (name) => PYODIDE.includes(name));
    fs.writeFileSync(path.join(LAB, 'pyodide/python_stdlib.zip'), NO_LIBRARY);
    fs.writeFileSync(path.join(LAB, 'python.image'), await pythonImage());
    const { script, wasm } = await binaryenParts();
    fs.writeFileSync(path.join(LAB, 'binaryen.js'), script);
    fs.writeFileSync(path.join(LAB, 'binaryen.wasm'), wasm);
    fs.writeFileSync(path.join(LAB, 'headers.json'), JSON.stringify(await load('headers.json')));
    fs.mkdirSync(path.join(LAB, 'harness'), { recursive: true });
    for (const name of BINARIES) fs.writeFileSync(path.join(LAB, name), await load(name));
}

/** The programs that need no compiler, and their sources. */
function copyReady(index) {
    const made = path.join(WORK, 'page_lab/ready');
    const copyOne = (from, name) => {
        const to = path.join(LAB, 'ready', name);
        fs.mkdirSync(path.dirname(to), { recursive: true });
        fs.copyFileSync(from, to);
    };
    for (const { name, source } of index) {
        for (const part of [`${name}.wasm`, `${name}.json`]) copyOne(path.join(made, part), part);
        copyOne(path.join(ROOT, source), source);
    }
    fs.writeFileSync(path.join(LAB, 'ready/index.json'), JSON.stringify(index));
}

/** A page in a folder of its own has a service worker of its own; what one keeps is shared by all of them. */
function copyServiceWorkers() {
    for (const { id } of LANGUAGES) {
        const folder = path.join(OUT, id, 'page_lab');
        if (fs.existsSync(folder))
            copy(path.join(SITE, 'page_lab'), folder, (name) => name === 'service_worker.js');
    }
}

/** What build_exercises.mjs has made. */
function copyExercises() {
    const to = path.join(LAB, 'exercises');
    fs.cpSync(path.join(WORK, 'page_lab/exercises'), to, { recursive: true });
}

/** What buildReady() has made, next to the pages. */
export async function copyPageLab(index) {
    fs.rmSync(path.join(LAB, 'files.json'), { force: true });
    for (const folder of ['ready', 'exercises', 'pyodide'])
        fs.rmSync(path.join(LAB, folder), { recursive: true, force: true });
    copyReady(index);
    copyExercises();
    copyServiceWorkers();
    const isForPage = (name) =>
        /\.m?js$/.test(name) &&
        !/from 'node:|'\.\/node_/.test(fs.readFileSync(path.join(SITE, 'page_lab', name), 'utf8'));
    copy(path.join(SITE, 'page_lab'), LAB, isForPage);
    copy(path.join(SITE, 'build'), path.join(OUT, 'build'), (name) => SHARED.includes(name));
    await copyCompiler();
    dropOthers(await pack(LAB));
    // `./tutorial docs serve` answers with the reader's own exercises instead.
    fs.writeFileSync(path.join(LAB, 'repository.json'), 'null');
}
