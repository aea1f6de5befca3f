// Sources of the repository, by the name that a trace has for them.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './places.mjs';

/** The sources of a chapter's stages: main.cu, and what is in fastest/. */
export function stageSources(folder) {
    const fastest = path.join(ROOT, folder, 'fastest');
    const names = fs.existsSync(fastest) ? fs.readdirSync(fastest).sort() : [];
    const headers = names.filter((name) => name.endsWith('.cuh'));
    return [`${folder}/main.cu`, ...headers.map((name) => `${folder}/fastest/${name}`)];
}

/** `folders`: where to look, relative to the repository. Returns name -> {file, text} or undefined. */
export function sourcesIn(folders) {
    return (name) => {
        const place = folders
            .map((folder) => path.resolve(ROOT, folder, name))
            .find((file) => fs.existsSync(file));
        return place && { file: path.relative(ROOT, place), text: fs.readFileSync(place, 'utf8') };
    };
}
