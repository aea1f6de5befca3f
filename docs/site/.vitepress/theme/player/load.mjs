// Recordings come when they are asked for, once.
import { withBase } from 'vitepress';

const asked = new Map();

function get(name) {
    if (!asked.has(name)) {
        const coming = fetch(withBase(`/traces/${name}.json`)).then((answer) => {
            if (!answer.ok) throw new Error(`the recording ${name} could not be loaded (${answer.status})`);
            return answer.json();
        });
        coming.catch(() => asked.delete(name));
        asked.set(name, coming);
    }
    return asked.get(name);
}

/** {"ch03": {title, stages: {shuffle: ["random-64", ...]}}, ...} */
export function recordings() {
    return get('index');
}

export function recording(chapter, stage, input) {
    return get(`${chapter}/${stage}/${input}`);
}
