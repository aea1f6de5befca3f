// Recordings are loaded once, when they are first requested. All files except the list are packed.
import { withBase } from 'vitepress';
import { unpack } from '../../../page_lab/unpack.mjs';

const asked = new Map();

async function come(name) {
    const answer = await fetch(withBase(`/traces/${name}`));
    if (!answer.ok) throw new Error(`the recording ${name} could not be loaded (${answer.status})`);
    return name.endsWith('.gz') ? new Response(await unpack(answer.body)).json() : answer.json();
}

function get(name) {
    if (!asked.has(name)) {
        const coming = come(name);
        coming.catch(() => asked.delete(name));
        asked.set(name, coming);
    }
    return asked.get(name);
}

/** {"ch03": {title, stages: {shuffle: ["random-64", ...]}}, ...} */
export function recordings() {
    return get('index.json');
}

export function recording(chapter, stage, input) {
    return get(`${chapter}/${stage}/${input}.json.gz`);
}
