// The worker that compiles. It is never stopped for a program that runs too long, because run_worker.mjs runs
// programs.
import { answer, Colleague } from './messages.mjs';
import { filesOf } from './files.mjs';
import { unpackFiles } from './tools.mjs';

const BASE = new URL('./', import.meta.url).href;
/** The page requests a program as soon as everything is loaded. */
const WARM_UP_MS = 300;
let compiler;
let isUsed = false;
/** Answers the last request. */
let told = () => {};

/** LLVM for tools.mjs. */
async function llvm(files, { packed, bytes }) {
    const size = packed || bytes;
    const compiled = async (name) => WebAssembly.compileStreaming(files.fetch(BASE + name));
    const [module, common] = await Promise.all([compiled('llvm.wasm'), files.load('llvm.files')]);
    const rest = () => {
        told('step', { step: `loading ${Math.round(size / 1e6)} MB more of the compiler, once` });
        return compiled('llvm_rest.wasm');
    };
    return { module, files: unpackFiles(common), rest };
}

/** binaryen in a worker of its own, which starts while this one compiles. */
function fibers(asked, tell) {
    const worker = new Colleague(`${BASE}fibers_worker.mjs`);
    let loaded;
    const load = () => {
        loaded ??= worker.ask('load', asked, tell);
        loaded.catch(() => (loaded = undefined)); // the next request tries again
        return loaded;
    };
    load();
    return async (binary, indirect) => {
        await load();
        return worker.ask('make', { binary, indirect });
    };
}

/** What chain.mjs requests, by name. */
function part(files, name, asked, tell) {
    switch (name) {
        case 'llvm':
            return llvm(files, asked.list['llvm_rest.wasm']);
        case 'fibers':
            return fibers(asked, tell);
        case 'translate':
            return import('./translator.mjs').then(({ translator }) => translator(files, BASE));
        case 'attempt':
            return import('./translator.mjs').then(({ attempter }) => attempter(files, BASE));
        case 'headers.json':
            return files.load(name).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
        default:
            return files.load(name);
    }
}

async function compilerOf(asked, tell) {
    const files = filesOf(BASE, asked.list, (bytes) => tell('loaded', { bytes }), asked.isServed);
    // The tools fetch some of their files themselves, with the same function, so that they are counted and
    // unpacked.
    self.fetch = files.fetch;
    const { createCompiler } = await import('./chain.mjs');
    return createCompiler({ load: (name) => part(files, name, asked, tell) });
}

/** Before the first request, an empty program makes the browser translate most of the compiler. */
async function warmUp() {
    if (isUsed) return;
    const { compile } = await compiler;
    await compile({ name: 'main.cu', text: '#include <cuda_runtime.h>\nint main() {}\n' });
}

function ready(asked, tell) {
    compiler ??= compilerOf(asked, tell);
    compiler.catch(() => (compiler = undefined)); // the next request tries again
    return compiler;
}

/** @param what 'compile' or 'compileAttempt' of chain.mjs */
const compiling = (what) => async (asked, tell) => {
    isUsed = true;
    told = tell;
    const { [what]: compile } = await ready(asked, tell);
    return compile({ ...asked.source, onStep: (step) => step && tell('step', { step }) });
};

answer({
    async load(asked, tell) {
        await ready(asked, tell);
        setTimeout(warmUp, WARM_UP_MS);
    },
    compile: compiling('compile'),
    compileAttempt: compiling('compileAttempt'),
});
