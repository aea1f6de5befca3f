// Measured results for the charts: every folder of docs/results that holds chNN.csv of a GPU.
import fs from 'node:fs';
import path from 'node:path';
import { CHAPTERS, ROOT } from './places.mjs';

const RESULTS = path.join(ROOT, 'docs/results');

/** A line of a CSV file: fields may be quoted. */
function fields(line) {
    const found = [];
    for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
        found.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    }
    return found;
}

export function readCsv(text) {
    const [head, ...lines] = text.trim().split('\n').map(fields);
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i] ?? ''])));
}

function number(text) {
    return text === undefined || text === '' ? null : Number(text);
}

/** A row for the charts. Columns that a file does not have yet are null. */
function row(line) {
    return {
        stage: line.stage,
        kind: line.kind,
        n: Number(line.n),
        setting: [line.input, line.options].filter(Boolean).join(', '),
        time: number(line.cold_us),
        low: number(line.cold_low_us ?? line.cold_q1_us),
        high: number(line.cold_high_us ?? line.cold_q3_us),
        hot: number(line.hot_us),
        ceiling: number(line.percent_of_ceiling),
        limit: line.ceiling,
        library: number(line.x_library),
        of: line.library,
        date: line.date.slice(0, 10),
    };
}

/** The rows of a file that a GPU has measured: {device, cuda, rows}, or null if there are none. */
export function measuredIn(file) {
    if (!fs.existsSync(file)) return null;
    const lines = readCsv(fs.readFileSync(file, 'utf8')).filter(
        (line) => line.backend === 'gpu' && line.cold_us,
    );
    if (lines.length === 0) return null;
    return { device: lines[0].device, cuda: lines[0].cuda, rows: lines.map(row) };
}

/** {ch03: [{folder, device, cuda, rows}]}: a device for each folder that holds what a GPU measured. */
export function results(from = RESULTS) {
    const found = {};
    for (const { id } of CHAPTERS) {
        found[id] = [];
        for (const folder of fs.readdirSync(from).sort()) {
            const measured = measuredIn(path.join(from, folder, `${id}.csv`));
            if (measured) found[id].push({ folder, ...measured });
        }
    }
    return found;
}
