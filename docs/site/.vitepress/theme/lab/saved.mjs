// A reader's work: kept in this browser, and sent as a link that holds all of it.

const KEY = 'page-lab';

export function kept() {
    try {
        return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
        return {}; // no storage, or not ours
    }
}

export function keep(work) {
    try {
        localStorage.setItem(KEY, JSON.stringify(work));
        return true;
    } catch {
        return false; // full, or forbidden
    }
}

async function through(bytes, stream) {
    return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}

/** Work as text for the part of an address behind #: deflated, in the letters that an address takes. */
export async function packed(work) {
    const bytes = new TextEncoder().encode(JSON.stringify(work));
    const small = new Uint8Array(await through(bytes, new CompressionStream('deflate-raw')));
    const letters = Array.from(small, (each) => String.fromCharCode(each)).join('');
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The work of a link; an error where it is none, or was cut off. */
export async function unpacked(text) {
    try {
        const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(letters, (each) => each.charCodeAt(0));
        const all = await through(bytes, new DecompressionStream('deflate-raw'));
        return JSON.parse(new TextDecoder().decode(all));
    } catch {
        throw new Error('this link is not complete: ask for it again');
    }
}
