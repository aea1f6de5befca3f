// The stairs: the stages of the chapters as steps, from the naive one to the fastest, each with its time, its
// section, its code and the exercises that the section prepares.
import fs from 'node:fs';
import path from 'node:path';
import { TIMED_AT } from '../pairs.mjs';
import { CHAPTERS, ROOT, textOf } from './places.mjs';
import { slug } from './slug.mjs';
import { stepCode } from './step_code.mjs';
import { besideOf, measuredOf, removedBy, stagesOf, timeOf } from './strips.mjs';
import { pageOf, pagesBeside } from './texts.mjs';

/** The time axis, the same for all chapters, in microseconds. */
export const SCALE = { low: 5, high: 1e6 };

/** The position of a time on the axis: 0 to 1. */
export function placeOf(us) {
    return Math.log(us / SCALE.low) / Math.log(SCALE.high / SCALE.low);
}

/** Headings of a text: {level, title, anchor}, without those in code. */
export function headings(markdown) {
    let inCode = false;
    const found = [];
    for (const line of markdown.split('\n')) {
        if (/^ {0,3}```/.test(line)) inCode = !inCode;
        const heading = !inCode && /^(#{1,3}) (.*?)\s*$/.exec(line);
        if (!heading) continue;
        const plain = heading[2].replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
        found.push({ level: heading[1].length, title: plain, anchor: slug(plain.replaceAll('`', '')) });
    }
    return found;
}

/** The address of a text's page, from the root of the site. */
export function addressOf(text) {
    return pageOf(text).replace(/\.md$/, '.html');
}

/** Exercises of a folder, in order: {id: 'ch01/ex1', name, title, file, read: 'ch01_bubble/README.md',
 *  anchor}. */
export function exercises(folder, group) {
    const number = (name) => Number(/^ex(\d+)_/.exec(name)[1]);
    return fs
        .readdirSync(path.join(ROOT, folder, 'grading'))
        .filter((name) => /^ex\d+_\w+\.md$/.test(name))
        .sort((a, b) => number(a) - number(b))
        .map((name) => {
            const text = textOf(`${folder}/grading/${name}`);
            const [file, anchor] = /^read: (.*)$/m.exec(text)[1].split('#');
            return {
                id: `${group}/ex${number(name)}`,
                name: `ex${number(name)}`,
                title: /^# (.*)$/m.exec(text)[1],
                file: `${folder}/exercises/${name.replace(/md$/, 'cu')}`,
                read: path.posix.normalize(path.posix.join(folder, file)),
                anchor,
            };
        });
}

/** The name of the stage to whose part of a chapter's texts a heading belongs; null before the first and
 *  elsewhere. */
function stageAt(sections, file, anchor) {
    const mine = sections.filter((section) => section.file === file);
    const at = mine.findIndex((section) => section.anchor === anchor);
    return mine.slice(0, at + 1).findLast(({ stage, level }) => stage && level === 2)?.stage ?? null;
}

/** The fastest library at n: {name, us}, or undefined. Libraries newer than the toolkit's are in files of
 *  their own. */
function libraryOf(chapter, n) {
    const { setting } = TIMED_AT[chapter];
    return ['', '_cccl']
        .flatMap((more) => measuredOf(chapter, more)?.rows ?? [])
        .filter((row) => row.kind === 'library' && row.n === n && row.setting === setting)
        .map(({ stage, time }) => ({ name: stage, us: time }))
        .sort((a, b) => a.us - b.us)[0];
}

/** The size at which a chapter is shown: the first at which its first stage, its last and a library were timed. */
function sizeOf(chapter, stages) {
    return TIMED_AT[chapter].sizes.find(
        (n) =>
            [stages[0], stages.at(-1)].every((name) => timeOf(chapter, name, n) !== null) &&
            libraryOf(chapter, n),
    );
}

/**
 * The flight of a chapter: {id, folder, number, title, n, device, library: {name, us}, steps, others, pages}.
 * A step: {stage, us (null: not timed at n), beside, removed, address of its section, exercises, code (step_code.mjs)}.
 * `others`: exercises that no stage's section prepares; `pages`: [title, address] of the chapter's other pages.
 */
function flight({ folder, id, number, title }) {
    const stages = stagesOf(id);
    const n = sizeOf(id, stages);
    const beside = pagesBeside(folder);
    const sections = [`${folder}/README.md`, ...beside].flatMap((file) =>
        headings(textOf(file)).map((each) => ({ ...each, file, stage: /^`(\w+)`: /.exec(each.title)?.[1] })),
    );
    const all = exercises(folder, id).map((each) => ({
        ...each,
        stage: stageAt(sections, each.read, each.anchor),
    }));
    const steps = stages.map((stage) => {
        const section = sections.find((each) => each.stage === stage);
        const other = besideOf(id, stage);
        return {
            stage,
            us: timeOf(id, stage, n),
            beside: other,
            removed: removedBy(id, stage),
            address: `${addressOf(section.file)}#${section.anchor}`,
            exercises: all.filter((each) => each.stage === stage),
            code: stepCode(id, stage, other),
        };
    });
    const others = all.filter((each) => each.stage === null);
    const pages = beside.map((file) => [headings(textOf(file))[0].title, addressOf(file)]);
    const { device } = measuredOf(id);
    return { id, folder, number, title, n, device, library: libraryOf(id, n), steps, others, pages };
}

let made;
/** The flights of all six chapters. */
export function flights() {
    made ??= CHAPTERS.map(flight);
    return made;
}
