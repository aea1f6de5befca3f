// The worker that makes fibers: separate from the one that compiles, because binaryen takes a second to start.
import { makeFibers } from './fibers.mjs';
import { filesOf } from './files.mjs';
import { answer } from './messages.mjs';

const BASE = new URL('./', import.meta.url).href;
let binaryen;

/** Its script comes without its program (node_binaryen.mjs), which the browser compiles while it arrives. */
async function start(files) {
    const script = new Blob([await files.load('binaryen.js')], { type: 'text/javascript' });
    const address = URL.createObjectURL(script);
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (_, imports) =>
        WebAssembly.instantiateStreaming(files.fetch(`${BASE}binaryen.wasm`), imports);
    try {
        return (await import(address)).default;
    } finally {
        WebAssembly.instantiate = instantiate;
        URL.revokeObjectURL(address);
    }
}

answer({
    async load({ list, isServed }, tell) {
        const files = filesOf(BASE, list, (bytes) => tell('loaded', { bytes }), isServed);
        binaryen = await start(files);
    },
    make({ binary, indirect }) {
        return makeFibers(binaryen, binary, indirect);
    },
});
