#!/usr/bin/env node
// own.mjs TRACE NAME [--last] FOLDER…: adds a run of the reader's own to the recordings of the
// site.
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { compileTrace } from './build/compile_trace.mjs';
import { OUT } from './build/places.mjs';
import { sourcesIn } from './build/sources.mjs';

const [file, name, ...rest] = process.argv.slice(2);
const folders = rest.filter((word) => word !== '--last');

/** The last launch of a trace, and what comes before the first. */
function lastLaunch(text) {
    const lines = text.trim().split('\n');
    const at = lines.findLastIndex(
        (line) => line.startsWith('{"kind":"launch"') || line.includes('"kind": "launch"'),
    );
    return [lines[0], ...lines.slice(Math.max(1, at))].join('\n');
}

try {
    let text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    if (!text.includes('"launch"')) throw new Error('no kernel ran, so there is nothing to show');
    if (rest.includes('--last')) text = lastLaunch(text);
    const recording = compileTrace(text, sourcesIn(folders));
    const place = path.join(OUT, 'traces/own', name);
    fs.rmSync(path.join(OUT, 'traces/own'), { recursive: true, force: true });
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'run.json.gz'), gzipSync(JSON.stringify(recording)));
    const indexFile = path.join(OUT, 'traces/index.json');
    const index = JSON.parse(fs.readFileSync(indexFile, 'utf8'));
    index.own = { title: 'Your own run', stages: { [name]: [{ name: 'run', title: 'as it ran' }] } };
    fs.writeFileSync(indexFile, JSON.stringify(index));
} catch (error) {
    console.error(`tutorial: --play: ${error.message}`);
    process.exitCode = 1;
}
