// Where the lab's programs are, and the site's recordings of them.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { OUT, ROOT } from '../build/places.mjs';

export const PROGRAMS = process.env.TUTORIAL_PROGRAMS ?? path.join(ROOT, 'build/cpu/bin');

/** A recording of the site: "ch03/shuffle/random-64". */
export function published(name) {
    return JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(OUT, 'traces', `${name}.json.gz`))));
}

/** A file of the published browser lab, as bytes: large ones exist there only in packed form. */
export function labFile(name) {
    const file = path.join(OUT, 'page_lab', name);
    const isPacked = fs.existsSync(`${file}.gz`);
    return new Uint8Array(isPacked ? zlib.gunzipSync(fs.readFileSync(`${file}.gz`)) : fs.readFileSync(file));
}
