// Which listings of a text can be run in place, and what can be tried there.
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { changeOf } from '../.vitepress/theme/lab/saved.mjs';
import { ITEMS, LISTINGS } from '../listings.mjs';
import { CHAPTERS, textOf } from './places.mjs';

const SOURCE = /\.(?:cu|cuh|hpp)$/;
const BARRIER = /^\s*__syncthreads\(\);/;
const STAGE = /^## (?:`(\w+)`)?/;

/** The stage in whose section a line is; '' for none. */
function stageAt(lines, inside, at) {
    for (let i = at; i >= 0; --i)
        if (!inside[i] && lines[i].startsWith('## ')) return STAGE.exec(lines[i])[1] ?? '';
    return '';
}

/**
 * The listings of a chapter's text that belong to a stage.
 * @param lines, inside the text's lines, and which of them are inside fenced blocks
 * @param found its excerpts (excerpts.mjs)
 * @param text its name, "ch01_bubble/README.md"
 * @returns [{chapter, stage, file, first, last, end, n, barrier, predict, unit, change}]; 0, '' and null if there is none
 */
export function listings(lines, inside, found, text) {
    const chapter = CHAPTERS.find(({ folder }) => path.posix.dirname(text) === folder);
    if (!chapter) return [];
    const ours = found
        .filter(({ file }) => SOURCE.test(file) && file.startsWith(`${chapter.folder}/`))
        .map((each) => ({ ...each, stage: stageAt(lines, inside, each.line) }))
        .filter(({ stage }) => stage)
        .map(({ stage, file, first, last, end }) => {
            const tried = LISTINGS[chapter.id]?.[stage] ?? {};
            const { n = ITEMS[chapter.id], without = 1, predict = {}, change } = tried;
            const body = textOf(file)
                .split('\n')
                .slice(first - 1, last);
            const place = (at) => (at < 0 ? 0 : first + at);
            const barriers = body.flatMap((line, at) => (BARRIER.test(line) ? [place(at)] : []));
            const line = place(predict.line ? body.findIndex((each) => each.includes(predict.line)) : -1);
            return {
                chapter: chapter.id,
                stage,
                file,
                first,
                last,
                end,
                n,
                barrier: barriers[without - 1] ?? 0,
                predict: line,
                unit: line ? predict.unit : '',
                change: change && body.join('\n').includes(change.line) ? change : null,
            };
        });
    for (const stage of new Set(ours.map((each) => each.stage))) {
        const all = ours.filter((each) => each.stage === stage);
        const { predict, change } = LISTINGS[chapter.id]?.[stage] ?? {};
        // A number for the whole run belongs to the listing with the most to try; so does a change to other
        // lines.
        if (predict && !predict.line) (all.find(({ barrier }) => barrier) ?? all[0]).unit = predict.unit;
        if (change && !all.some((each) => each.change)) all.find(({ unit }) => unit).change = change;
    }
    return ours;
}

/** As a component of the theme. */
export function listingRun({ chapter, stage, file, first, last, n, barrier, predict, unit }) {
    const more = [
        barrier && `:barrier="${barrier}"`,
        predict && `:predict="${predict}"`,
        unit && `unit="${unit}"`,
    ];
    const words = [`:first="${first}" :last="${last}" :n="${n}"`, ...more.filter(Boolean)];
    return `<ListingRun chapter="${chapter}" stage="${stage}" file="${file}" ${words.join(' ')} />`;
}

/** The part after # of the browser lab's address, for a stage with a change of main.cu. */
export function changeLink({ chapter, stage, n, change }) {
    const { folder } = CHAPTERS.find(({ id }) => id === chapter);
    const original = textOf(folder, 'main.cu');
    const parts = original.split(change.line);
    if (parts.length !== 2)
        throw new Error(`"${change.line}" is in ${folder}/main.cu ${parts.length - 1} times`);
    const edit = changeOf(original, parts.join(change.to));
    const work = JSON.stringify({
        change: edit,
        stage: `${chapter}/${stage}`,
        settings: { n: change.n ?? n },
    });
    return `#work=${deflateRawSync(work).toString('base64url')}`;
}
