// The worker that compiles. It is never stopped for a program that runs too long: run_worker.mjs runs it.
import { answer } from './messages.mjs';
import { filesOf } from './files.mjs';

const BASE = new URL('./', import.meta.url).href;
let compiler;

/** A script of many megabytes: packed, as the other files. */
async function importPacked(files, name) {
    const address = URL.createObjectURL(new Blob([await files.load(name)], { type: 'text/javascript' }));
    try {
        return await import(address);
    } finally {
        URL.revokeObjectURL(address);
    }
}

/** What chain.mjs asks for, by name. */
function part(files, name) {
    switch (name) {
        case 'clang':
            return import('./clang/bundle.js');
        case 'binaryen':
            return importPacked(files, 'binaryen.js').then((module) => module.default);
        case 'translate':
            return import('./translator.mjs').then(({ translator }) => translator(files, `${BASE}pyodide/`));
        case 'attempt':
            return import('./translator.mjs').then(({ attempter }) => attempter(files, `${BASE}pyodide/`));
        case 'headers.json':
            return files.load(name).then((bytes) => new TextDecoder().decode(bytes));
        default:
            return files.load(name);
    }
}

async function compilerOf(list, tell) {
    const files = filesOf(BASE, list, (bytes) => tell('loaded', { bytes }));
    // The tools fetch some of their files themselves: through the same door, to be counted and unpacked.
    self.fetch = files.fetch;
    const { createCompiler } = await import('./chain.mjs');
    const made = await createCompiler({ load: (name) => part(files, name) });
    // Some of the tools' files come with their first use.
    await made.compile({
        name: 'main.cu',
        text: '#include <cuda_runtime.h>\nint main() {}\n',
        mode: 'count',
    });
    return made;
}

function ready(list, tell) {
    compiler ??= compilerOf(list, tell);
    compiler.catch(() => (compiler = undefined)); // asked again, it tries again
    return compiler;
}

answer({
    async load({ list }, tell) {
        await ready(list, tell);
    },
    async compile({ list, name, text, mode }, tell) {
        const { compile } = await ready(list, tell);
        return compile({ name, text, mode, onStep: (step) => step && tell('step', { step }) });
    },
    async compileAttempt({ list, exercise, name, text }, tell) {
        const { compileAttempt } = await ready(list, tell);
        return compileAttempt({ id: exercise, name, text, onStep: (step) => step && tell('step', { step }) });
    },
});
