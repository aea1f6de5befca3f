// Node only: LLVM for tools.mjs, from npm's @yowasp/clang.
import fs from 'node:fs';
import path from 'node:path';
import { SITE } from '../build/places.mjs';

const PACKAGE = path.join(SITE, 'node_modules/@yowasp/clang');
const BLOCK = 512; // bytes, of a tar archive

/** Everything that affects its output. */
export const COMPILER = fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8');

/** The files that come with it for this target and this C++ library. */
const WANTED = [
    /^include\/c\+\+\/v1\/(?!__cxx03\/)/,
    /^include\/wasm32-wasip1\//,
    /^include\/(__)?(float|inttypes|iso646|limits|std|tgmath|unwind)[^/]*\.h$/,
    /^lib\/wasm32-wasip1\/(crt1-command\.o|lib(c|c\+\+|c\+\+abi|wasi-emulated-\w[\w-]*)\.a)$/,
    /^lib\/wasm32-unknown-wasip1\/libclang_rt\.builtins\.a$/,
];

export const llvmProgram = () => fs.readFileSync(path.join(PACKAGE, 'gen/llvm.core.wasm'));

/** {path: bytes} of the C and C++ libraries and headers. */
export function llvmFiles() {
    const archive = new Uint8Array(fs.readFileSync(path.join(PACKAGE, 'gen/llvm-resources.tar')));
    const field = (at, length) =>
        new TextDecoder().decode(archive.subarray(at, at + length)).replace(/\0.*$/s, '');
    const found = {};
    for (let at = 0; at < archive.length && archive[at];) {
        const name = field(at, 100);
        const size = parseInt(field(at + 124, 12), 8);
        const begin = at + BLOCK;
        const isFile = field(at + 156, 1) === '0';
        if (isFile && WANTED.some((pattern) => pattern.test(name)))
            found[`/usr/${name}`] = archive.subarray(begin, begin + size);
        at = begin + BLOCK * Math.ceil(size / BLOCK);
    }
    return found;
}

let made;

/** {module, files}, compiled once in each thread. */
export function llvm() {
    made ??= WebAssembly.compile(llvmProgram()).then((module) => ({ module, files: llvmFiles() }));
    return made;
}
