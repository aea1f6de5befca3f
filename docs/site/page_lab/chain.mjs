// From a learner's source to a program that runs in a browser; the same code runs in Node and in a Web
// Worker. README.md draws the chain.
import { diagnosticsOf } from './diagnostics.mjs';
import { withOneStage } from './one_stage.mjs';
import { PRECOMPILED, chapterOptions, compileOptions, linkOptions, usePrecompiled } from './options.mjs';
import { placesText } from './places.mjs';
import { sourcesOf } from './ready.mjs';
import { numberCalls } from './sites.mjs';
import { symbolsText } from './symbols.mjs';
import { runTool } from './tools.mjs';
import { compileObject } from './unset_variables.mjs';

/**
 * @param load (name) => what the caller has packed under this name:
 *     'llvm'         {module, files} (tools.mjs)
 *     'fibers'       async (binary, indirect) => bytes: makeFibers() of fibers.mjs
 *     'translate'    async (name, text, others) => {text, copies, said}: translate.py
 *     'headers.json' {path: text} of all headers
 *     'headers.pch', 'liblab.a', 'libemulator.a'  bytes
 *   and for a chapter's program
 *     'harness/libharness.a', 'harness/chapter_lab.o'  bytes
 *     'ready/NAME.json'  what was made when the site was built: its sources are there
 *   and for an exercise that is to be graded
 *     'attempt'      async (id, name, text) => {source} or {reason, text}: common/grading/check/page.py
 *     'exercises/libgrading.a', 'harness/libharness.a', 'exercises/ID.o'  bytes
 */
export async function createCompiler({ load }) {
    const names = ['llvm', 'fibers', 'translate', 'headers.json', 'headers.pch', 'liblab.a', 'libemulator.a'];
    const [llvm, fibers, translate, headers, precompiled, lab, emulator] = await Promise.all(names.map(load));
    const libraries = { 'liblab.a': lab, 'libemulator.a': emulator };
    const tools = { llvm, fibers, translate, headers, precompiled, libraries, load: once(load) };
    const chapters = new Map();
    return {
        async compile(source) {
            const { chapter } = source;
            if (!chapter) return compile(tools, source);
            if (!chapters.has(chapter)) chapters.set(chapter, await loadChapter(chapter, tools));
            return compile(chapters.get(chapter), source);
        },
        compileAttempt: (attempt) => compileAttempt(tools, attempt),
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

/** The tools for a chapter's program, which includes files of its folder and is linked with the harness. */
async function loadChapter(name, tools) {
    const [sources, harness, lab] = await Promise.all([
        sourcesOf(name, tools),
        tools.load('harness/libharness.a'),
        tools.load('harness/chapter_lab.o'),
    ]);
    return {
        ...tools,
        sources,
        libraries: { ...tools.libraries, 'libharness.a': harness },
        objects: { 'chapter_lab.o': lab },
    };
}

/**
 * @param name of the file, as in messages: 'main.cu'; of a chapter's: 'ch01_bubble/main.cu'
 * @param chapter none, or the name of the ready-made program that this is an edited source of: 'ch01'
 * @param stage none, or the only stage of a chapter that the program is to have
 * @param mode 'run', 'count' or 'faults'; a chapter's program has one build, which is 'count'
 * @param onStep (name of the step, milliseconds of the one before)
 */
async function compile(tools, { name, text, chapter, stage, mode = 'count', onStep = () => {}, standard }) {
    const begin = step(onStep);
    begin('translate');
    const sources = { ...tools.sources, [name]: text };
    const translated = await tools.translate(name, stage ? withOneStage(text, stage) : text, tools.sources);
    if (translated.text === undefined) {
        return { diagnostics: diagnosticsOf(translated.said), said: translated.said };
    }
    const options = compileOptions(mode, standard);
    if (chapter) options.push(...chapterOptions(name.replace(/\/.*/, '')));
    const { text: source, copies } = translated;
    return build(tools, { sources, source, copies, options, standard }, begin);
}

/**
 * An attempt at an exercise, linked with its grader: a program that judges it (grading.mjs).
 * @param id of the exercise: 'first/ex1'
 * @param name of the learner's file, `text` its text
 * @returns like compile(), or {refused: {reason, text}} if its text alone shows that it is not solved.
 *     With a program also isBegun, and outside: a sentence about a changed line that does not count.
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
        [`exercises/${id}.o`, 'exercises/libgrading.a', 'harness/libharness.a'].map(tools.load),
    );
    const libraries = { ...tools.libraries, 'libgrading.a': grading, 'libharness.a': harness };
    const made = await build(
        { ...tools, libraries, objects: { 'grader.o': grader } },
        { sources: { [name]: text }, source, options: compileOptions('count') },
        begin,
    );
    return { ...made, isBegun, outside };
}

/** From a translated source to a program. `sources`: as a reader sees them; `copies`: translated ones. */
async function build(tools, { sources, source, copies = {}, options, standard }, begin) {
    begin('compile');
    const files = { ...tools.headers, 'src/program.cpp': source };
    for (const [place, content] of Object.entries({ ...tools.sources, ...copies }))
        files[`src/${place}`] = content;
    const use = usePrecompiled(standard);
    if (use.length) Object.assign(files, { 'headers.pch': tools.precompiled, 'headers.hpp': PRECOMPILED });
    const args = [...use, 'src/program.cpp', ...options];
    const compiled = await compileObject(tools.llvm, args, files, 'program.o');
    const diagnostics = diagnosticsOf(compiled.said);
    if (!compiled.ok) return { diagnostics, said: compiled.said };
    const objects = { 'program.o': compiled.files['program.o'], ...tools.objects };
    const linked = await link(tools, objects, begin);
    begin('');
    if (!linked.program) return { diagnostics, said: compiled.said + linked.said };
    linked.program.sources = sources;
    return { program: linked.program, diagnostics, said: compiled.said };
}

/** From objects to a program. `libraries`: further ones, by name. */
export async function link({ llvm, fibers, libraries }, objects, begin = () => {}) {
    begin('link');
    const more = Object.keys(libraries).filter((name) => !['liblab.a', 'libemulator.a'].includes(name));
    const names = [...Object.keys(objects), ...more];
    const linked = await runTool(llvm, ['wasm-ld', ...linkOptions(names)], {
        ...objects,
        ...libraries,
    });
    if (!linked.ok) return { said: linked.said };
    begin('number');
    const bytes = linked.files['program.wasm'];
    const { binary, module, sites, indirect } = numberCalls(bytes);
    // The C library does not have them, and aborts.
    if (module.names.some((name) => /^undefined_\w+:(main|__main_argc_argv)$/.test(name)))
        return { said: 'error: the program has no main()\n' };
    const symbols = symbolsText(module, new TextDecoder().decode(linked.printed), sites);
    begin('lines');
    const made = fibers(binary, indirect); // in the browser, another worker does this at the same time
    const places = await placesText(llvm, bytes, sites);
    begin('fibers');
    const wasm = await made;
    return {
        program: { wasm, files: { '/symbols': symbols, '/places': places }, sources: {} },
        said: linked.said,
    };
}

/** Reports each step with the time that the previous one took. */
function step(onStep) {
    let since = performance.now();
    return (name) => {
        const now = performance.now();
        onStep(name, now - since);
        since = now;
    };
}
