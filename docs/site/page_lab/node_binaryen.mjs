// binaryen from its package, in two files: its script contains its program as text. If they are separate, a
// browser compiles the program while it arrives, and keeps the machine code.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const PLACE = createRequire(import.meta.url).resolve('binaryen');
/** The beginning of that text. */
const BEGIN = '`\\0asm';

/** {script, wasm}: the script asks WebAssembly.instantiate() for an empty program (fibers_worker.mjs). */
export async function binaryenParts() {
    const text = fs.readFileSync(PLACE, 'utf8');
    const begin = text.indexOf(BEGIN);
    if (begin < 0) throw new Error('binaryen holds its program in another way than this script knows');
    let end = begin + 1;
    while (text[end] !== '`') end += text[end] === '\\' ? 2 : 1;
    return { script: text.slice(0, begin) + '``' + text.slice(end + 1), wasm: await program() };
}

/** What the script gives to WebAssembly.instantiate(). */
async function program() {
    const { instantiate } = WebAssembly;
    let found;
    WebAssembly.instantiate = (bytes, imports) => instantiate.call(WebAssembly, (found = bytes), imports);
    try {
        await import(`${pathToFileURL(PLACE)}?its-program`);
    } finally {
        WebAssembly.instantiate = instantiate;
    }
    return found;
}
