#!/usr/bin/env node
// Builds the site into build/site/out: records the traces, writes the pages, calls VitePress.
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Worker } from 'node:worker_threads';
import { build } from 'vitepress';
import { copyPageLab, hasPageLab, labLinks } from './build/page_lab.mjs';
import { copyPictures, writePages } from './build/pages.mjs';
import { OUT, ROOT, SITE, TRACES } from './build/places.mjs';
import { recordingsIndex } from './build/record.mjs';
import { results } from './build/results.mjs';
import { relocate } from './build/relocate.mjs';
import { stripOf } from './build/strips.mjs';
import { llvm } from './page_lab/node_llvm.mjs';
import { packRows } from './.vitepress/theme/charts/quantities.mjs';

const asked = process.argv.indexOf('--programs');
const programs = asked > 0 ? process.argv[asked + 1] : path.join(ROOT, 'build/cpu/bin');

fs.mkdirSync(TRACES, { recursive: true });
const index = await recordingsIndex(programs);
// Held here, because compiling threads come and go: V8's machine code for LLVM is kept, for all of them.
if (hasPageLab()) await llvm();
// Recordings and the browser lab's programs are made in threads of their own, the pages in this one. Pages
// show recordings, so they come last.
const recording = made('./build/record.mjs', { recordAll: programs });
const [recorded, ready, pages] = await Promise.all([
    recording,
    hasPageLab() ? makePageLab() : null,
    recording.then(buildPages),
]);
copyTraces();
writeResults();
if (ready) await copyPageLab(ready);
console.log(`${recorded.all} recordings, ${recorded.made} of them new`);
console.log(
    `${pages.texts.length} texts, ${pages.sources.length} sources: ${path.relative(process.cwd(), OUT)}`,
);

async function made(script, workerData) {
    const worker = new Worker(new URL(script, import.meta.url), { workerData });
    const [done] = await once(worker, 'message');
    return done;
}

async function makePageLab() {
    const programs = await made('./page_lab/build_ready.mjs', { buildReady: true });
    await made('./page_lab/build_exercises.mjs', { buildExercises: true });
    await made('./page_lab/build_llvm.mjs', { buildLlvm: true });
    return programs;
}

async function buildPages() {
    const players = new Set(
        Object.entries(index).flatMap(([chapter, { stages }]) =>
            Object.keys(stages).map((stage) => `${chapter}/${stage}`),
        ),
    );
    const written = writePages(players, labLinks(index), stripOf);
    await build(SITE);
    relocate();
    copyPictures(written.texts);
    return written;
}

function copyTraces() {
    const to = path.join(OUT, 'traces');
    for (const [chapter, { stages }] of Object.entries(index)) {
        for (const [stage, inputs] of Object.entries(stages)) {
            fs.mkdirSync(path.join(to, chapter, stage), { recursive: true });
            for (const name of inputs.map((input) => path.join(chapter, stage, `${input.name}.json`)))
                fs.writeFileSync(
                    path.join(to, `${name}.gz`),
                    gzipSync(fs.readFileSync(path.join(TRACES, name))),
                );
        }
    }
    fs.writeFileSync(path.join(to, 'index.json'), JSON.stringify(index));
}

function writeResults() {
    fs.mkdirSync(path.join(OUT, 'results'), { recursive: true });
    for (const [chapter, devices] of Object.entries(results())) {
        fs.writeFileSync(path.join(OUT, 'results', `${chapter}.json`), JSON.stringify(devices.map(packRows)));
    }
}
