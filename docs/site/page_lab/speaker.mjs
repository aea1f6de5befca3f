// What a running program prints, on its way to the page: in chunks, and cut if it is too long.

/** Parts that are sent at once, so that output is shown even before an endless loop. */
const SINGLE = 100;
const CHUNK_MS = 50;
const CHUNK = 1 << 16; // characters
export const MAX_OUTPUT = 1e6;
const CUT = '\n[cut here: the program has printed more than 1 MB]\n';

/** @returns {write(text), flush()}; flush() is called now and then, and at the end */
export function speaker(tell, now = () => performance.now()) {
    let waiting = '';
    let parts = 0;
    let total = 0;
    let last = now();
    const flush = () => {
        if (waiting) tell(waiting);
        waiting = '';
        last = now();
    };
    return {
        flush,
        write(text) {
            if (total > MAX_OUTPUT) return;
            total += text.length;
            waiting += total > MAX_OUTPUT ? text.slice(0, text.length - (total - MAX_OUTPUT)) + CUT : text;
            parts += 1;
            if (parts <= SINGLE || waiting.length > CHUNK || now() - last > CHUNK_MS) flush();
        },
    };
}
