// From a learner's source to a program that runs in a page: the same in Node and in a Web Worker.
// README.md draws the chain.
import { diagnosticsOf } from './diagnostics.mjs';
import { makeFibers } from './fibers.mjs';
import { compileOptions, linkOptions } from './options.mjs';
import { placesText } from './places.mjs';
import { numberCalls } from './sites.mjs';
import { symbolsText } from './symbols.mjs';
import { runTool, treeOf } from './tools.mjs';

/**
 * @param load (name) => what the caller has packed under this name:
 *     'clang'        {runClang, runLLVM} of @yowasp/clang
 *     'binaryen'     binaryen's module
 *     'translate'    async (name, text) => {text, said}: translate.py
 *     'headers.json' {path: text} of all headers
 *     'liblab.a', 'libemulator.a'  bytes
 *     of an exercise that is to be graded also:
 *     'attempt'      async (id, name, text) => {source} or {reason, text}: common/grading/check/page.py
 *     'exercises/libgrading.a', 'exercises/libharness.a', 'exercises/ID.o'  bytes
 */
export async function createCompiler({ load }) {
    const [clang, binaryen, translate, headers, lab, emulator] = await Promise.all(
        ['clang', 'binaryen', 'translate', 'headers.json', 'liblab.a', 'libemulator.a'].map(load),
    );
    const libraries = { 'liblab.a': lab, 'libemulator.a': emulator };
    const tree = treeOf(typeof headers === 'string' ? JSON.parse(headers) : headers);
    const tools = { clang, binaryen, translate, tree, libraries };
    const loadOnce = once(load);
    return {
        compile: (source) => compile(tools, source),
        compileAttempt: (attempt) => compileAttempt({ ...tools, load: loadOnce }, attempt),
    };
}

/** A `load` that asks for each name once. */
function once(load) {
    const found = new Map();
    return (name) => {
        if (!found.has(name)) {
            const coming = Promise.resolve(load(name));
            coming.catch(() => found.delete(name));
            found.set(name, coming);
        }
        return found.get(name);
    };
}

/**
 * @param name of the file, as in messages: 'main.cu'
 * @param mode 'run', 'count' or 'faults'
 * @param onStep (name of the step, milliseconds of the one before)
 */
async function compile(tools, { name, text, mode = 'count', onStep = () => {}, standard }) {
    const begin = step(onStep);
    begin('translate');
    const translated = await tools.translate(name, text);
    if (translated.text === undefined) {
        return { diagnostics: diagnosticsOf(translated.said), said: translated.said };
    }
    return build(
        tools,
        { name, text, source: translated.text, options: compileOptions(mode, standard) },
        begin,
    );
}

/**
 * An attempt at an exercise, linked with its grader: a program that judges it (grading.mjs).
 * @param id of the exercise: 'first/ex1'
 * @param name of the learner's file, `text` its text
 * @returns as compile(); or {refused: {reason, text}} where its text alone shows that it is not solved.
 *     With a program also isBegun, and outside: about a changed line that does not count.
 */
async function compileAttempt(tools, { id, name, text, onStep = () => {} }) {
    const begin = step(onStep);
    begin('translate');
    const attempt = await tools.load('attempt');
    const { source, reason, text: refusal, is_begun: isBegun, outside } = await attempt(id, name, text);
    if (source === undefined)
        return { refused: { reason, text: refusal }, diagnostics: diagnosticsOf(refusal) };
    begin('load');
    const [grader, grading, harness] = await Promise.all(
        [`${id}.o`, 'libgrading.a', 'libharness.a'].map((each) => tools.load(`exercises/${each}`)),
    );
    const libraries = { ...tools.libraries, 'libgrading.a': grading, 'libharness.a': harness };
    const more = { 'grader.o': grader };
    const options = compileOptions('count');
    const made = await build({ ...tools, libraries }, { name, text, source, options, more }, begin);
    return { ...made, isBegun, outside };
}

/** From a translated source to a program. `more`: objects to link with it. */
async function build(tools, { name, text, source, options, more = {} }, begin) {
    begin('compile');
    const compiled = await runTool(
        tools.clang.runClang,
        ['clang++', '-c', 'src/program.cpp', ...options, '-o', 'program.o'],
        { ...tools.tree, src: { 'program.cpp': source } },
    );
    const diagnostics = diagnosticsOf(compiled.said);
    if (!compiled.ok) return { diagnostics, said: compiled.said };
    const linked = await link(tools, { 'program.o': compiled.files['program.o'], ...more }, begin);
    begin('');
    if (!linked.program) return { diagnostics, said: compiled.said + linked.said };
    linked.program.sources = { [name]: text };
    return { program: linked.program, diagnostics, said: compiled.said };
}

/** From objects to a program. `libraries`: further ones, by name. */
export async function link({ clang, binaryen, libraries }, objects, begin = () => {}) {
    begin('link');
    const more = Object.keys(libraries).filter((name) => !['liblab.a', 'libemulator.a'].includes(name));
    const names = [...Object.keys(objects), ...more];
    const linked = await runTool(clang.runLLVM, ['wasm-ld', ...linkOptions(names)], {
        ...objects,
        ...libraries,
    });
    if (!linked.ok) return { said: linked.said };
    begin('number');
    const bytes = linked.files['program.wasm'];
    const { binary, module, sites, indirect } = numberCalls(bytes);
    const symbols = symbolsText(module, linked.printed, sites);
    begin('lines');
    const places = await placesText(clang.runLLVM, bytes, sites);
    begin('fibers');
    const wasm = makeFibers(binaryen, binary, module.names, indirect);
    return {
        program: { wasm, files: { '/symbols': symbols, '/places': places }, sources: {} },
        said: linked.said,
    };
}

/** Tells each step with the time that the one before took. */
function step(onStep) {
    let since = performance.now();
    return (name) => {
        const now = performance.now();
        onStep(name, now - since);
        since = now;
    };
}
