// Packs the browser lab's files, and lists them with their sizes and versions: page_lab/files.json. Packed
// files are there only in packed form, and page_lab/files.mjs unpacks them: both forms together would be 360 MB.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { isPacked } from '../page_lab/unpack.mjs';
import { WORK, filesIn } from './places.mjs';

const gzip = promisify(zlib.gzip);
const PACKED = path.join(WORK, 'packed');
/** Packing smaller ones gains less than a request costs. */
const LEAST = 16 * 1024;

/** Packing takes a while: what was packed once is kept by its content. */
async function packed(content, version) {
    const kept = path.join(PACKED, `${version}.gz`);
    if (!fs.existsSync(kept)) {
        fs.mkdirSync(PACKED, { recursive: true });
        const small = await gzip(content, { level: 8 });
        fs.writeFileSync(`${kept}.new`, small);
        fs.renameSync(`${kept}.new`, kept);
    }
    return kept;
}

export async function pack(folder) {
    const list = {};
    for (const place of filesIn(folder)) {
        const name = path.relative(folder, place);
        if (/\.html$|^(?:files\.json|service_worker\.js)$/.test(name)) continue;
        if (name.endsWith('.gz')) throw new Error(`${place} is of an earlier build`);
        const content = fs.readFileSync(place);
        const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
        list[name] = { bytes: content.length, packed: 0, version };
        if (content.length < LEAST || name.endsWith('.mjs')) continue; // workers import those
        if (isPacked(content)) throw new Error(`${place} looks packed, and would be unpacked twice`);
        fs.copyFileSync(await packed(content, version), `${place}.gz`);
        fs.rmSync(place);
        list[name].packed = fs.statSync(`${place}.gz`).size;
    }
    fs.writeFileSync(path.join(folder, 'files.json'), JSON.stringify(list));
    return list;
}

/** Removes what is kept of earlier builds only. `list`: what pack() has returned. */
export function dropOthers(list, folder = PACKED) {
    const kept = new Set(Object.values(list).map(({ version }) => `${version}.gz`));
    for (const name of fs.readdirSync(folder)) {
        if (!kept.has(name)) fs.rmSync(path.join(folder, name));
    }
}
