// Records what kernels do, for the player: runs the lab's programs, and keeps what they did.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { compileTrace } from './compile_trace.mjs';
import { CHAPTERS, SITE, TRACES } from './places.mjs';
import { sourcesIn } from './sources.mjs';
import { APPROXIMATE, GALLERY, inputsOf } from '../recordings.mjs';

const call = promisify(execFile);
/** What a recording depends on, besides the program and its options. */
const COMPILER = ['compile_trace.mjs', 'lockstep.mjs', 'read_trace.mjs', 'sources.mjs', 'values.mjs'];

/** Titles of recorded programs that are not chapters. */
const OTHERS = { first: 'The first kernel', gallery: 'Fault gallery' };

function hash(...parts) {
    const sum = createHash('sha256');
    for (const part of parts) sum.update(part).update('\0');
    return sum.digest('hex');
}

async function stagesOf(program) {
    const { stdout } = await call(program, ['--list']);
    return stdout.split('\n').flatMap((line) => {
        const [name, kind] = line.trim().split(/\s+/);
        return kind === 'stage' ? [name] : [];
    });
}

/** All that is to be recorded: {chapter, stage, input, program, words, folders}. */
async function jobs(programs) {
    const found = [];
    for (const { folder, id } of CHAPTERS) {
        const program = path.join(programs, `${folder}_lab`);
        for (const stage of await stagesOf(program)) {
            for (const input of inputsOf(id, stage)) {
                const words = ['--faults', '--stage', stage, ...input.words];
                found.push({
                    chapter: id,
                    stage,
                    input,
                    program,
                    words,
                    folders: [folder, `${folder}/fastest`, 'common/harness'],
                });
            }
        }
    }
    const input = { name: 'fixed', title: 'as in the program' };
    found.push({
        chapter: 'first',
        stage: 'celsius',
        input,
        program: path.join(programs, 'first_faults'),
        words: [],
        folders: ['docs/first_kernel'],
    });
    for (const stage of new Set(Object.entries(GALLERY).flat())) {
        const program = path.join(programs, `gallery_${stage}`);
        found.push({
            chapter: 'gallery',
            stage,
            input,
            program,
            words: [],
            folders: ['common/lab/fault_gallery'],
        });
    }
    return found;
}

/** The trace that a program writes. Some programs of the gallery end with 1: they are wrong. */
export async function trace(program, words, fails = false) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tutorial-trace-'));
    const file = path.join(folder, 'trace.jsonl');
    const env = { ...process.env, TUTORIAL_TRACE: words.length ? '' : file };
    try {
        await call(program, words.length ? [...words, '--trace', file] : [], {
            env,
            maxBuffer: 1 << 26,
        }).catch((error) => {
            if (!fails)
                throw new Error(
                    `${path.basename(program)} ${words.join(' ')}: ${error.stdout}${error.stderr}`,
                );
        });
        return fs.readFileSync(file, 'utf8');
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}

async function record(job, programHash, compilerHash) {
    const place = path.join(TRACES, job.chapter, job.stage, `${job.input.name}.json`);
    const stamp = `${place}.stamp`;
    const wanted = hash(programHash, compilerHash, JSON.stringify(job.words));
    if (fs.existsSync(place) && fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted)
        return false;
    const text = await trace(job.program, job.words, job.chapter === 'gallery');
    const recording = compileTrace(text, sourcesIn(job.folders));
    if (recording.isCut)
        throw new Error(`${path.basename(job.program)} ${job.words.join(' ')}: too many steps to play`);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, JSON.stringify(recording));
    fs.writeFileSync(stamp, wanted);
    return true;
}

/** Every n-th recording, made again: {name, fresh, kept}. */
export async function recordedAgain(programs, count) {
    const all = await jobs(programs);
    const found = [];
    for (let i = 0; i < count; ++i) {
        const job = all[Math.floor((i * all.length) / count)];
        const { chapter, stage, input, program, words, folders } = job;
        const fresh = compileTrace(await trace(program, words, chapter === 'gallery'), sourcesIn(folders));
        const kept = fs.readFileSync(path.join(TRACES, chapter, stage, `${input.name}.json`), 'utf8');
        found.push({ name: `${chapter}/${stage}/${input.name}`, fresh: JSON.stringify(fresh), kept });
    }
    return found;
}

/** Records all that is not recorded yet. Returns their number, and how many of them are new. */
export async function recordAll(programs) {
    const all = await jobs(programs);
    const compilerHash = hash(...COMPILER.map((name) => fs.readFileSync(path.join(SITE, 'build', name))));
    const programHashes = new Map();
    for (const { program } of all) {
        if (!programHashes.has(program)) programHashes.set(program, hash(fs.readFileSync(program)));
    }
    let made = 0;
    const left = [...all];
    const work = async () => {
        for (let job = left.shift(); job; job = left.shift()) {
            const isNew = await record(job, programHashes.get(job.program), compilerHash);
            made += isNew ? 1 : 0;
        }
    };
    await Promise.all([work(), work()]);
    return { all: all.length, made };
}

/** Which recordings there are, or will be. */
export async function recordingsIndex(programs) {
    const all = await jobs(programs);
    const index = {};
    for (const { chapter, stage, input } of all) {
        const title = CHAPTERS.find(({ id }) => id === chapter);
        index[chapter] ??= {
            title: title ? `Chapter ${title.number}: ${title.title}` : OTHERS[chapter],
            stages: {},
        };
        index[chapter].stages[stage] ??= [];
        index[chapter].stages[stage].push({ name: input.name, title: input.title });
    }
    index.gallery.pairs = GALLERY;
    for (const [chapter, stages] of Object.entries(APPROXIMATE)) index[chapter].approximate = stages;
    return index;
}

if (!isMainThread && workerData?.recordAll) parentPort.postMessage(await recordAll(workerData.recordAll));
