// The lab's files, over the network, with a count of the bytes received.
//
// Large files exist there only in packed form. The format is gzip: DecompressionStream supports it in every
// browser, and no server needs to know about it. Brotli would save a fifth, but a static host sends .br files
// without the header that browsers want, and no browser unpacks it on its own. The version in the address
// lets the service worker keep a file forever.
import { unpack } from './unpack.mjs';

const TYPES = {
    wasm: 'application/wasm',
    js: 'text/javascript',
    mjs: 'text/javascript',
    json: 'application/json',
};
/** The packed size in bytes of files that are kept unpacked. */
const LARGE = 1e6;
/** The service worker's (service_worker.js). */
const CACHE = 'page-lab';

/**
 * @param base address of the folder, with a / at its end
 * @param list files.json: {name: {bytes, packed, version}}
 * @param told told(bytes) for each part that arrives
 * @param isServed whether a service worker answers this page's requests: large files come from its cache then
 * @returns {fetch, load}: fetch(address) as the browser's; load(name) gives a Uint8Array
 */
export function filesOf(base, list, told, isServed = false) {
    const browsers = globalThis.fetch.bind(globalThis);

    async function fetch(request, options) {
        const address = String(request.url ?? request);
        const name = address.startsWith(base) ? address.slice(base.length).replace(/[?#].*/, '') : '';
        if (!list[name]) {
            const answer = browsers(request, options);
            return name ? orMissing(name, answer) : answer;
        }
        const isKept = isServed && list[name].packed > LARGE && (await keep(name));
        return isKept ? orMissing(name, browsers(addressOf(name))) : unpacked(name);
    }

    const addressOf = (name, end = '') => `${base}${name}${end}?v=${list[name].version}`;

    /** Puts a file into the service worker's cache, unpacked: unpacking takes half a second of each visit, and a
     *  browser keeps the machine code of modules that come from there. False if there is no room. */
    async function keep(name) {
        try {
            const cache = await caches.open(CACHE);
            if (await cache.match(addressOf(name))) return true;
            for (const older of await cache.keys())
                if (older.url.startsWith(`${base}${name}?`)) await cache.delete(older);
            await cache.put(addressOf(name), await unpacked(name, { cache: 'no-store' }));
            await cache.delete(addressOf(name, '.gz')); // a first visit's worker
            return true;
        } catch {
            return false;
        }
    }

    /** On a first visit the service worker starts after the first requests. */
    async function keepCopy(address, answer) {
        try {
            await (await caches.open(CACHE)).put(address, answer);
        } catch {
            // No room, or file://: it will be loaded again.
        }
    }

    async function unpacked(name, options) {
        const packed = list[name].packed > 0;
        const address = addressOf(name, packed ? '.gz' : '');
        const answer = await orMissing(name, browsers(address, options));
        if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
        if (!isServed) keepCopy(address, answer.clone());
        let body = answer.body.pipeThrough(counter(told));
        if (packed) body = await unpack(body);
        const type = TYPES[name.split('.').at(-1)] ?? 'application/octet-stream';
        return new Response(body, { headers: { 'content-type': type } });
    }

    return {
        fetch,
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

/** What a file is to a reader. */
const PARTS = [
    [/^ready\//, 'this ready-made program'],
    [/^exercises\//, 'this exercise'],
    [/^harness\//, 'what an edited stage is linked with'],
    [/^llvm_rest/, "the compiler's other part, which this program needs,"],
    [/^(?:files|repository)\.json$/, 'the list of programs'],
];

/** The browser's answer; without a network, an error that says what is missing. */
export async function orMissing(name, coming) {
    try {
        return await coming;
    } catch {
        const part = PARTS.find(([names]) => names.test(name))?.[1] ?? 'the compiler';
        throw new Error(`${part} is not in this browser, and there is no network to load it from`);
    }
}

/** Bytes that the files chosen by `wanted(name)` take over the network. */
export function bytesOf(list, wanted) {
    return Object.entries(list)
        .filter(([name]) => wanted(name))
        .reduce((sum, [, { bytes, packed }]) => sum + (packed || bytes), 0);
}
