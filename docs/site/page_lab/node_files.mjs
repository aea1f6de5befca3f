// Files of this machine, for the virtual file systems of the tools.
import fs from 'node:fs';
import path from 'node:path';

/** {name below `as`: bytes} of all files below a folder. */
export function filesBelow(folder, as = '', wanted = () => true) {
    const found = {};
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const place = path.join(folder, entry.name);
        const name = as ? `${as}/${entry.name}` : entry.name;
        if (entry.isDirectory()) {
            if (entry.name !== '__pycache__') Object.assign(found, filesBelow(place, name, wanted));
        } else if (wanted(name)) {
            found[name] = new Uint8Array(fs.readFileSync(place));
        }
    }
    return found;
}

/** The same as texts. */
export function textsBelow(...where) {
    const decoder = new TextDecoder();
    const texts = Object.entries(filesBelow(...where)).map(([name, bytes]) => [name, decoder.decode(bytes)]);
    return Object.fromEntries(texts);
}
