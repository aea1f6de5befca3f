// Files that are published packed (gzip), for any server. Most send them as they are; some unpack them on the
// way, and some pack them once more: so the first byte decides, not what the server says.

/** No file that is published unpacked begins like this: build/pack.mjs checks that. */
export const isPacked = (bytes) => bytes[0] === 0x1f;

/** A stream of what was packed, from a stream of what came. */
export async function unpack(body) {
    if (typeof DecompressionStream === 'undefined')
        throw new Error('this browser is too old to unpack files: Firefox can from 113 on, Safari from 16.4');
    const reader = body.getReader();
    const { value: first = new Uint8Array() } = await reader.read();
    const whole = new ReadableStream({
        start(out) {
            if (first.length) out.enqueue(first);
        },
        async pull(out) {
            const { value, done } = await reader.read();
            if (done) out.close();
            else out.enqueue(value);
        },
        cancel: (why) => reader.cancel(why),
    });
    return isPacked(first) ? whole.pipeThrough(new DecompressionStream('gzip')) : whole;
}
