// Makes what the browser lab needs to grade exercises: the compiled grader and the texts of each. Kept by
// content in build/site/page_lab.
// node build_exercises.mjs [first/ex1 …]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { staleSections } from '../build/chinese.mjs';
import { ROOT } from '../build/places.mjs';
import { CACHE, GRADING_OPTIONS, buildLibraries, libraryTree, objectOf, translated } from './libraries.mjs';
import { ownTemplates } from './own_templates.mjs';
import { inPool, workIn } from './pool.mjs';
import { taskInLanguages } from './task_chinese.mjs';
import { taskPictures } from './task_pictures.mjs';

const EXERCISES = path.join(CACHE, 'exercises');

/** [{id, folder, name, title, kind, level, read, hints, stub, files, pictures, said}]: common/grading/check/page.py;
 *  pictures: [{name, words}]; said: what is said differently in another language
 *  (task_chinese.mjs). */
export function allExercises() {
    const text = execFileSync('python3', [path.join(ROOT, 'common/grading'), 'page', 'list'], {
        maxBuffer: 1 << 26,
    });
    const stale = staleSections();
    return JSON.parse(text).map((each) => ({
        ...each,
        pictures: taskPictures(each),
        said: taskInLanguages(each, stale),
    }));
}

/** Its templates have names of their own: the learner's are watched, the grader's are not. */
async function makeGrader({ id, folder, name }, files) {
    const place = `${folder}/grading/${name}.cu`;
    const job = {
        name: `graders/${id}`,
        file: `${folder}/grading/grader.cpp`,
        text: translated(place),
        options: [...GRADING_OPTIONS, `-I${folder}/grading`],
    };
    const made = await objectOf(job, files);
    const to = path.join(EXERCISES, `${id}.o`);
    if (!made.isNew && fs.existsSync(to)) return;
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.writeFileSync(to, ownTemplates(new Uint8Array(fs.readFileSync(made.place))));
}

/**
 * What a page loads for grading: everything below exercises/. Writes exercises/ID.o and exercises/ID.json,
 * and exercises/index.json: what the page shows of all of them. Returns the index.
 */
export async function buildExercises({ only = () => true } = {}) {
    await buildLibraries(['harness', 'grading']);
    fs.mkdirSync(EXERCISES, { recursive: true });
    fs.copyFileSync(path.join(CACHE, 'libgrading.a'), path.join(EXERCISES, 'libgrading.a'));
    const all = allExercises();
    const wanted = all.filter(({ id }) => only(id));
    await inPool(new URL(import.meta.url), { makeGraders: true }, wanted);
    for (const exercise of wanted)
        fs.writeFileSync(path.join(EXERCISES, `${exercise.id}.json`), JSON.stringify(exercise));
    const index = all.map(({ id, folder, name, title, kind, level, said }) => ({
        id,
        folder,
        name,
        title,
        kind,
        level,
        said: Object.fromEntries(
            Object.entries(said).map(([language, each]) => [language, { title: each.title }]),
        ),
    }));
    fs.writeFileSync(path.join(EXERCISES, 'index.json'), JSON.stringify(index));
    return index;
}

if (!isMainThread && workerData?.makeGraders) {
    const files = libraryTree();
    workIn((exercise) => makeGrader(exercise, files));
}
if (!isMainThread && workerData?.buildExercises) parentPort.postMessage(await buildExercises());
if (isMainThread && process.argv[1] === fileURLToPath(import.meta.url)) {
    const named = process.argv.slice(2);
    await buildExercises({ only: (id) => named.length === 0 || named.includes(id) });
}
