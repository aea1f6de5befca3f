// What tests compare: the lab's programs, the records of measurements, and what the site has of both.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { OUT, ROOT, textOf } from '../build/places.mjs';

export const PROGRAMS = process.env.TUTORIAL_PROGRAMS ?? path.join(ROOT, 'build/cpu/bin');

/** A text file of the site. */
export const built = (...names) => fs.readFileSync(path.join(OUT, ...names), 'utf8');

/** A CSV file of docs/results by columns, none if it is not there. None of the fields used here is quoted. */
export function csvRows(name) {
    if (!fs.existsSync(path.join(ROOT, 'docs/results', name))) return [];
    const [columns, ...lines] = textOf('docs/results', name)
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    return lines.map((fields) => Object.fromEntries(columns.map((column, i) => [column, fields[i]])));
}

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
