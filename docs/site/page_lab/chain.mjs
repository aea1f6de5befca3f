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
 */
export async function createCompiler({ load }) {
    const [clang, binaryen, translate, headers, lab, emulator] = await Promise.all(
        ['clang', 'binaryen', 'translate', 'headers.json', 'liblab.a', 'libemulator.a'].map(load),
    );
    const libraries = { 'liblab.a': lab, 'libemulator.a': emulator };
    const tree = treeOf(typeof headers === 'string' ? JSON.parse(headers) : headers);
    return {
        compile: (source) => compile({ clang, binaryen, translate, tree, libraries }, source),
    };
}

/**
 * @param name of the file, as in messages: 'main.cu'
 * @param mode 'run', 'count' or 'faults'
 * @param onStep (name of the step, milliseconds of the one before)
 * @param more {path: text} of files that the source includes; they are translated too
 */
async function compile(tools, { name, text, mode = 'count', onStep = () => {}, standard }) {
    const begin = step(onStep);
    begin('translate');
    const translated = await tools.translate(name, text);
    if (translated.text === undefined) {
        return { diagnostics: diagnosticsOf(translated.said), said: translated.said };
    }
    begin('compile');
    const compiled = await runTool(
        tools.clang.runClang,
        ['clang++', '-c', 'src/program.cpp', ...compileOptions(mode, standard), '-o', 'program.o'],
        { ...tools.tree, src: { 'program.cpp': translated.text } },
    );
    const diagnostics = diagnosticsOf(compiled.said);
    if (!compiled.ok) return { diagnostics, said: compiled.said };
    const linked = await link(tools, { 'program.o': compiled.files['program.o'] }, begin);
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
