// The lab's files, over the network: packed where the browser can unpack, with a count of what came.
//
// Packed is gzip: DecompressionStream has it in every browser, and no server needs to know of it. Brotli
// would save a fifth, but a static host sends .br files without the header that browsers want, and no
// browser unpacks it by itself. The version in the address lets the service worker keep a file for ever.

const TYPES = {
    wasm: 'application/wasm',
    js: 'text/javascript',
    mjs: 'text/javascript',
    json: 'application/json',
};
const UNPACKS = typeof DecompressionStream !== 'undefined';
/** The service worker's (service_worker.js). */
const CACHE = 'page-lab';

/**
 * @param base address of the folder, with a / at its end
 * @param list files.json: {name: {bytes, packed, version}}
 * @param told told(bytes) for each part that comes
 * @param isServed whether a service worker answers this page's requests
 * @returns {fetch, load, compile}: fetch(address) as the browser's; load(name) gives a Uint8Array,
 *     compile(name) a WebAssembly.Module
 */
export function filesOf(base, list, told, isServed = false) {
    const browsers = globalThis.fetch.bind(globalThis);

    async function fetch(request, options) {
        const address = String(request.url ?? request);
        const name = address.startsWith(base) ? address.slice(base.length).replace(/[?#].*/, '') : '';
        const entry = list[name];
        if (!entry) return browsers(request, options);
        const packed = UNPACKS && entry.packed > 0;
        const answer = await browsers(`${base}${name}${packed ? '.gz' : ''}?v=${entry.version}`);
        if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
        let body = answer.body.pipeThrough(counter(told));
        // A server that knows .gz has the browser unpack it.
        if (packed && !answer.headers.get('content-encoding'))
            body = body.pipeThrough(new DecompressionStream('gzip'));
        const type = TYPES[name.split('.').at(-1)] ?? 'application/octet-stream';
        return new Response(body, { headers: { 'content-type': type } });
    }

    /** Puts it into the service worker's cache as it is when unpacked. */
    async function keep(address, name) {
        const cache = await caches.open(CACHE);
        if (await cache.match(address)) return;
        for (const older of await cache.keys())
            if (older.url.startsWith(`${base}${name}?`)) await cache.delete(older);
        await cache.put(address, await fetch(base + name));
    }

    return {
        fetch,
        /** A browser keeps the machine code of a module that it has from the network, or that a service worker
         *  has from its cache: not of one that a script has unpacked. */
        async compile(name) {
            const address = `${base}${name}?v=${list[name].version}`;
            const isKept =
                isServed &&
                (await keep(address, name).then(
                    () => true,
                    () => false,
                ));
            return WebAssembly.compileStreaming(isKept ? browsers(address) : fetch(base + name));
        },
        async load(name) {
            const answer = await fetch(base + name);
            if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
            return new Uint8Array(await answer.arrayBuffer());
        },
    };
}

function counter(told) {
    return new TransformStream({
        transform(part, out) {
            told(part.byteLength);
            out.enqueue(part);
        },
    });
}

/** Bytes that come over the network for the files that `wanted(name)` chooses. */
export function bytesOf(list, wanted) {
    return Object.entries(list)
        .filter(([name]) => wanted(name))
        .reduce((sum, [, { bytes, packed }]) => sum + (UNPACKS && packed ? packed : bytes), 0);
}
