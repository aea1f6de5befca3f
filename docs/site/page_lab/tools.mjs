// Runs LLVM's programs, which npm's @yowasp/clang combines into one WebAssembly program: clang, wasm-ld, ar
// and the symbolizer. Each run is a fresh instance, because a program that ends frees nothing; if LLVM is
// prepared for it (one_memory.mjs), it reuses the previous run's memory.
import { newMemory, PAGE } from './one_memory.mjs';
import { normalized, wasi } from './wasi.mjs';

/** The arguments of the compiler, or the assembler, from those of its driver, which would start it as a process. */
const driven = new Map();

/**
 * @param llvm {module: LLVM as a WebAssembly.Module, files: {path: bytes} of what comes with it}; where module
 *     is a part of it (split.mjs) also rest: async () => the other part
 * @param args the command line; 'clang++' compiles and does not link
 * @param files {path: text or bytes}
 * @param input what the tool reads from its standard input
 * @returns {ok, files (what it has written), printed (stdout, as bytes), said (stderr, as text)}
 */
export async function runTool(llvm, args, files, input = '') {
    if (args[0] !== 'clang++') return runOnce(llvm, args, files, input);
    const words = JSON.stringify(args);
    if (!driven.has(words)) {
        const asked = await runOnce(llvm, ['clang++', '-###', ...args.slice(1)], files);
        const line = asked.said.split('\n').find((each) => each.includes('"-cc1'));
        if (!asked.ok || !line) return { ...asked, ok: false };
        driven.set(words, wordsOf(line));
    }
    return runOnce(llvm, driven.get(words), files, input);
}

/** A command line as the driver prints it: words in quotes, of which the first is this program's path. */
const wordsOf = (line) =>
    [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].slice(1).map(([, word]) => word.replace(/\\(.)/g, '$1'));

/** Runs once more with all of LLVM if a part of it has reached a function that it lacks. */
async function runOnce(llvm, args, files, input) {
    try {
        return await runPart(llvm, args, files, input);
    } catch (error) {
        if (!llvm.rest || llvm.restModule || !(error instanceof WebAssembly.RuntimeError)) throw error;
    }
    llvm.restModule = await llvm.rest();
    return runPart(llvm, args, files, input);
}

async function runPart(llvm, args, files, input = '') {
    const all = Object.create(llvm.files);
    for (const [name, content] of Object.entries(files)) all[normalized(name)] = content;
    const stdout = [];
    const stderr = [];
    let exports;
    let code = 0;
    let isEnded = false;
    const imports = wasi({
        memory: () => exports.memory,
        files: all,
        args: ['yowasp-llvm', ...args],
        stdin: new TextEncoder().encode(input),
        stdout: (bytes) => stdout.push(bytes),
        stderr: (bytes) => stderr.push(bytes),
        exit(status) {
            code = status;
            isEnded = true;
        },
    });
    // Synchronous until it has ended: another run would have the same memory.
    const page = { memory: emptied(llvm) };
    ({ exports } = new WebAssembly.Instance(llvm.module, { wasi_snapshot_preview1: imports, page }));
    if (llvm.restModule) new WebAssembly.Instance(llvm.restModule, { main: exports });
    try {
        exports._start();
    } catch (error) {
        if (!isEnded) throw error;
    } finally {
        llvm.usedPages = exports.pages?.value ?? 0;
    }
    llvm.ended?.(exports);
    const written = {};
    for (const [name, content] of Object.entries(all))
        if (content !== files[name.slice(1)]) written[name.slice(1)] = content;
    return {
        ok: code === 0,
        files: written,
        printed: joined(stdout),
        said: new TextDecoder().decode(joined(stderr)),
    };
}

/** The memory, as a new one. */
function emptied(llvm) {
    llvm.memory ??= newMemory();
    new Uint8Array(llvm.memory.buffer, 0, (llvm.usedPages ?? 0) * PAGE).fill(0);
    return llvm.memory;
}

/** Parts as one array of bytes. */
export function joined(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

/** {path: bytes} as one file: a list as JSON, then a newline and all bytes. */
export function packFiles(files) {
    const sizes = Object.fromEntries(Object.entries(files).map(([name, { length }]) => [name, length]));
    return joined([new TextEncoder().encode(`${JSON.stringify(sizes)}\n`), ...Object.values(files)]);
}

export function unpackFiles(bytes) {
    let at = bytes.indexOf(10) + 1;
    const sizes = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)));
    return Object.fromEntries(
        Object.entries(sizes).map(([name, size]) => [name, bytes.subarray(at, (at += size))]),
    );
}
