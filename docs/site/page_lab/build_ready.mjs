// Makes the programs that a page runs without a compiler: each chapter's, from which any stage can be
// run. Kept by content in build/site/page_lab/ready. node build_ready.mjs [ch01…]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CHAPTERS, ROOT } from '../build/places.mjs';
import { link } from './chain.mjs';
import { execute } from './execute.mjs';
import { CACHE, buildLibraries, libraryTree, sha } from './libraries.mjs';
import { filesBelow } from './node_files.mjs';
import { headers, load } from './node_load.mjs';
import { compileOptions } from './options.mjs';
import { loadReady } from './ready.mjs';
import { runTool, treeOf } from './tools.mjs';

export const READY = path.join(CACHE, 'ready');

/** Kept unless what it is made of has changed. */
async function made(name, ingredients, make) {
    const stamp = path.join(READY, `${name}.stamp`);
    const wanted = sha(...ingredients);
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return false;
    const { wasm, ...rest } = await make();
    fs.mkdirSync(path.dirname(stamp), { recursive: true });
    fs.writeFileSync(path.join(READY, `${name}.wasm`), wasm);
    fs.writeFileSync(path.join(READY, `${name}.json`), JSON.stringify(rest));
    fs.writeFileSync(stamp, wanted);
    return true;
}

const bytesOf = (name) => fs.readFileSync(path.join(CACHE, name));

/** A chapter's sources as the compiler sees them: {path below src/: text}, translated where needed. */
function chapterSources(folder) {
    const copies = path.join(CACHE, 'copies', folder);
    const output = path.join(copies, 'main.cpp');
    fs.rmSync(copies, { recursive: true, force: true });
    fs.mkdirSync(copies, { recursive: true });
    execFileSync('python3', [
        path.join(ROOT, 'common/emulator/translate.py'),
        path.join(ROOT, folder, 'main.cu'),
        output,
        '--source-root',
        ROOT,
        '--copies',
        copies,
    ]);
    const decoder = new TextDecoder();
    const files = {};
    const add = (from, as) => {
        for (const [name, bytes] of Object.entries(filesBelow(from, as, isSource))) {
            files[name] = decoder
                .decode(bytes)
                .replaceAll(`${copies}/`, '/src/translated/')
                .replaceAll(`${ROOT}/`, '/src/');
        }
    };
    add(path.join(ROOT, folder), folder);
    add(path.join(ROOT, 'common/harness'), 'common/harness');
    add(copies, 'translated');
    const { 'translated/main.cpp': main, ...rest } = files;
    return { main, rest };
}

const isSource = (name) =>
    /\.(cu|cuh|hpp|cpp)$/.test(name) && !/\/(exercises|solutions|grading|tests)\//.test(name);

async function chapterProgram(folder, { main, rest }, tools) {
    const options = [
        ...compileOptions('count'),
        '-isystem',
        'ext',
        '-DFMT_HEADER_ONLY=1',
        '-DTUTORIAL_EMULATOR',
    ];
    const args = ['clang++', '-c', 'src/main.cpp', ...options, '-Isrc', `-Isrc/${folder}`, '-o', 'main.o'];
    const src = treeOf({ ...rest, 'main.cpp': main });
    const compiled = await runTool(tools.clang.runClang, args, { ...tools.tree, src });
    if (!compiled.ok) throw new Error(`${folder} does not compile for the page:\n${compiled.said}`);
    const objects = {
        'main.o': compiled.files['main.o'],
        'chapter_lab.o': new Uint8Array(bytesOf('objects/chapter_lab_cpp.o')),
    };
    const linked = await link(tools, objects);
    if (!linked.program) throw new Error(`${folder} cannot be linked:\n${linked.said}`);
    const sources = Object.fromEntries(
        Object.entries(rest).filter(([name]) => name.startsWith(`${folder}/`) || name.startsWith('common/')),
    );
    return { ...linked.program, sources };
}

/** The names of a chapter's stages, as its program lists them. */
async function stagesOf(id) {
    const read = async (name) => new Uint8Array(fs.readFileSync(path.join(CACHE, name)));
    let printed = '';
    const stdout = (text) => (printed += text);
    await execute(await loadReady(id, { load: read }), { args: ['--list'], stdout });
    return printed.split('\n').flatMap((line) => {
        const [name, kind] = line.trim().split(/\s+/);
        return kind === 'stage' ? [name] : [];
    });
}

/** Writes ready/index.json: [{name, chapter, source, stages}]. */
export async function buildReady({ only = () => true, log = console.log } = {}) {
    await buildLibraries();
    const index = [];
    const tree = treeOf({ ...libraryTree(), ...headers() });
    const libraries = {};
    for (const name of ['liblab.a', 'libemulator.a', 'libharness.a'])
        libraries[name] = new Uint8Array(bytesOf(name));
    const tools = { clang: await load('clang'), binaryen: await load('binaryen'), tree, libraries };
    const basis = [sha(...Object.values(libraries)), ...compileOptions('count')];
    for (const { folder, id } of CHAPTERS.filter(({ id }) => only(id))) {
        const sources = chapterSources(folder);
        const begin = performance.now();
        const isNew = await made(id, [...basis, sources.main, JSON.stringify(sources.rest)], () =>
            chapterProgram(folder, sources, tools),
        );
        if (isNew) log(`${folder}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
        index.push({ name: id, chapter: id, source: `${folder}/main.cu`, stages: await stagesOf(id) });
    }
    fs.writeFileSync(path.join(READY, 'index.json'), JSON.stringify(index));
    return index;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
    const wanted = process.argv.slice(2);
    await buildReady({ only: (id) => wanted.length === 0 || wanted.includes(id) });
}
