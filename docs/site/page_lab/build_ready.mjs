// Makes the programs that a page runs without a compiler: the first kernel, each chapter's, from which any
// stage can be run, those of the fault gallery, and the examples. Kept by content in build/site/page_lab.
// node build_ready.mjs [ch01 gallery/NAME examples/NAME …]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { CHAPTERS, ROOT, textOf } from '../build/places.mjs';
import { link } from './chain.mjs';
import { execute } from './execute.mjs';
import { CACHE, buildLibraries, libraryTree, objectOf, sha } from './libraries.mjs';
import { textsBelow } from './node_files.mjs';
import { headers, load } from './node_load.mjs';
import { withOneType } from './one_stage.mjs';
import { PRECOMPILED, chapterOptions, compileOptions, usePrecompiled } from './options.mjs';
import { loadReady } from './ready.mjs';
import { inPool, workIn } from './pool.mjs';

const READY = path.join(CACHE, 'ready');
/** Folders of programs of one file, with the build that they need: the gallery's fills variables with a
 *  pattern. */
const FOLDERS = [
    { chapter: 'first', folder: 'docs/first_kernel', mode: 'count' },
    { chapter: 'first', folder: 'docs/first_kernel/mistakes', mode: 'faults' },
    { chapter: 'examples', folder: 'docs/examples', mode: 'count' },
    { chapter: 'gallery', folder: 'common/lab/fault_gallery', mode: 'faults' },
];

/** What a phone can do in a second or two. */
const SIZES = [16, 61, 64, 256, 1000, 1024, 4096];

/** Inputs, from those that the harness makes (common/harness/inputs.cpp). */
const INPUTS = [
    'random',
    'digits',
    'sorted',
    'reversed',
    'equal',
    'two',
    'organ_pipe',
    'almost_sorted',
    'extremes',
];

/** A chapter's sources as the page shows them; the compiler sees them with one key type, which is less than
 *  half the code. */
async function chapterSources(folder, translate) {
    const sources = {};
    for (const place of [folder, 'common/harness'])
        Object.assign(sources, textsBelow(path.join(ROOT, place), place, isSource));
    const main = `${folder}/main.cu`;
    const { text, copies, said } = await translate(main, withOneType(sources[main]), sources);
    if (text === undefined) throw new Error(`${main} cannot be translated:\n${said}`);
    return { text, sources, copies };
}

const isSource = (name) =>
    /\.(cu|cuh|hpp|cpp)$/.test(name) && !/\/(exercises|solutions|grading|tests)\//.test(name);

/** Compiles a program, and links it if anything in it has changed. */
async function program(name, { text, src = {}, options, more = {}, libraries, sources }, tools) {
    const files = { ...tools.files };
    for (const [place, content] of Object.entries(src)) files[`src/${place}`] = content;
    const job = {
        name: `ready/${name}`,
        file: 'program.cpp',
        text,
        options: [...usePrecompiled(), ...options],
    };
    const { place } = await objectOf(job, files);
    const object = new Uint8Array(fs.readFileSync(place));
    const wanted = sha(tools.linkBasis, object, ...Object.values(more), JSON.stringify(sources));
    const stamp = path.join(READY, `${name}.stamp`);
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
    const made = await link({ ...tools, libraries }, { 'main.o': object, ...more });
    if (!made.program) throw new Error(`${name} cannot be linked:\n${made.said}`);
    fs.mkdirSync(path.dirname(stamp), { recursive: true });
    fs.writeFileSync(path.join(READY, `${name}.wasm`), made.program.wasm);
    fs.writeFileSync(
        path.join(READY, `${name}.json`),
        JSON.stringify({ files: made.program.files, sources }),
    );
    fs.writeFileSync(stamp, wanted);
}

async function chapter({ folder, id }, tools) {
    const { text, sources, copies } = await chapterSources(folder, tools.translate);
    await program(
        id,
        {
            text,
            src: { ...sources, ...copies },
            options: [...compileOptions('count'), ...chapterOptions(folder)],
            more: { 'chapter_lab.o': await load('harness/chapter_lab.o') },
            libraries: tools.libraries,
            sources,
        },
        tools,
    );
    const stages = await stagesOf(id);
    return {
        name: id,
        chapter: id,
        folder,
        source: `${folder}/main.cu`,
        stages,
        inputs: INPUTS,
        sizes: SIZES,
    };
}

/** A one-file program, with the libraries that the browser lab itself links. */
async function single({ name, chapter: id, folder, mode, file }, tools) {
    const text = textOf(folder, file);
    const translated = await tools.translate(file, text);
    if (translated.text === undefined) throw new Error(`${name} cannot be translated:\n${translated.said}`);
    const { 'libharness.a': _, ...libraries } = tools.libraries;
    await program(
        name,
        { text: translated.text, options: compileOptions(mode), libraries, sources: { [file]: text } },
        tools,
    );
    return { name, chapter: id, source: `${folder}/${file}`, stages: [] };
}

/** The names of a chapter's stages, as its program lists them. */
async function stagesOf(id) {
    let printed = '';
    const stdout = (text) => (printed += text);
    await execute(await loadReady(id, { load }), { args: ['--list'], stdout });
    return printed.split('\n').flatMap((line) => {
        const [name, kind] = line.trim().split(/\s+/);
        return kind === 'stage' ? [name] : [];
    });
}

/** Everything that is made, in the order in which a page lists it: [{name, chapter, …}]. */
function allWorks() {
    const chapters = CHAPTERS.map(({ folder, id }) => ({ name: id, folder, id }));
    const singles = FOLDERS.flatMap(({ chapter, folder, mode }) =>
        fs
            .readdirSync(path.join(ROOT, folder))
            .filter((file) => file.endsWith('.cu'))
            .map((file) => ({
                name: `${chapter}/${path.basename(file, '.cu')}`,
                chapter,
                folder,
                mode,
                file,
            })),
    );
    const isFirst = ({ chapter: id }) => id === 'first';
    return [...singles.filter(isFirst), ...chapters, ...singles.filter((each) => !isFirst(each))];
}

/** What every program depends on. */
async function toolsOfAll() {
    const libraries = {};
    for (const name of ['liblab.a', 'libemulator.a', 'libharness.a']) libraries[name] = await load(name);
    return {
        llvm: await load('llvm'),
        fibers: await load('small fibers'),
        translate: await load('translate'),
        files: {
            ...libraryTree(),
            ...headers(),
            'headers.hpp': PRECOMPILED,
            'headers.pch': await load('headers.pch'),
        },
        libraries,
        linkBasis: sha(...Object.values(libraries), ...LINKING.map(script)),
    };
}

/** Writes ready/index.json: [{name, chapter, source, stages, inputs, sizes}]. */
export async function buildReady({ only = () => true } = {}) {
    await buildLibraries();
    const works = allWorks().filter(({ name }) => only(name));
    const index = await inPool(new URL(import.meta.url), { makePrograms: true }, works);
    fs.writeFileSync(path.join(READY, 'index.json'), JSON.stringify(index));
    return index;
}

/** Everything that affects how a program is linked. */
const LINKING = [
    'chain.mjs',
    'fibers.mjs',
    'options.mjs',
    'places.mjs',
    'sites.mjs',
    'symbols.mjs',
    'wasm_binary.mjs',
];
const script = (name) => fs.readFileSync(new URL(name, import.meta.url));

if (!isMainThread && workerData?.makePrograms) {
    const tools = await toolsOfAll();
    workIn((work) => (work.file ? single(work, tools) : chapter(work, tools)));
}
if (!isMainThread && workerData?.buildReady) parentPort.postMessage(await buildReady());
if (isMainThread && process.argv[1] === fileURLToPath(import.meta.url)) {
    const wanted = process.argv.slice(2);
    await buildReady({ only: (name) => wanted.length === 0 || wanted.includes(name) });
}
