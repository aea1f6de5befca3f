#!/usr/bin/env node
// Builds the site into build/site/out: records the traces, writes the pages, calls VitePress.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'vitepress';
import { writePages } from './build/pages.mjs';
import { OUT, ROOT, SITE, TRACES } from './build/places.mjs';
import { recordAll } from './build/record.mjs';
import { results } from './build/results.mjs';
import { relocate } from './build/relocate.mjs';

const asked = process.argv.indexOf('--programs');
const programs = asked > 0 ? process.argv[asked + 1] : path.join(ROOT, 'build/cpu/bin');

fs.mkdirSync(TRACES, { recursive: true });
const { index, made, all } = await recordAll(programs);
console.log(`${all.length} recordings, ${made} of them new`);
const players = new Set(
    Object.entries(index).flatMap(([chapter, { stages }]) =>
        Object.keys(stages).map((stage) => `${chapter}/${stage}`),
    ),
);
const pages = writePages(players);
await build(SITE);
relocate();
copyTraces();
writeResults();
console.log(
    `${pages.texts.length} texts, ${pages.sources.length} sources: ${path.relative(process.cwd(), OUT)}`,
);

function copyTraces() {
    fs.cpSync(TRACES, path.join(OUT, 'traces'), {
        recursive: true,
        filter: (name) => !name.endsWith('.stamp'),
    });
}

function writeResults() {
    fs.mkdirSync(path.join(OUT, 'results'), { recursive: true });
    for (const [chapter, devices] of Object.entries(results())) {
        fs.writeFileSync(path.join(OUT, 'results', `${chapter}.json`), JSON.stringify(devices));
    }
}
