// What the strip below a stage's heading says: the stage before it and the stage, some steps of both as they
// were recorded, what both cost by the lab's counts, and how long both took.
import fs from 'node:fs';
import path from 'node:path';
import { PAIRS, TIMED_AT } from '../pairs.mjs';
import { APPROXIMATE } from '../recordings.mjs';
import { Playback } from '../.vitepress/theme/player/playback.mjs';
import { en, say, t } from '../.vitepress/theme/language.mjs';
import { WAITS } from '../.vitepress/theme/player/measures.mjs';
import { CHAPTERS, ROOT, TRACES, textOf } from './places.mjs';
import { measuredIn, readCsv } from './results.mjs';
import { stageSources } from './sources.mjs';

const GPU = 'h200';
/** How many steps of each of the two stages. */
const STEPS = 4;
/** Two runs of the same kernel differ by no more than this. */
const SAME = 1.03;

/** The lab's measures: columns of docs/results/cpu. */
export const COUNTS = {
    sectors: en`global sectors`,
    wavefronts: en`shared wavefronts`,
    global_requests: en`global requests`,
    shared_requests: en`shared requests`,
    block_barriers: en`barriers of a block`,
    shuffles: en`shuffles of a warp`,
    launches: en`launches`,
    steps: en`steps of warps`,
    longest_queue: en`longest queue for one word`,
};

const counted = new Map();
/** The lab's counts for a chapter: stage -> row of docs/results/cpu/chNN.csv. */
export function countsOf(chapter) {
    if (!counted.has(chapter)) {
        const text = textOf('docs/results/cpu', `${chapter}.csv`);
        counted.set(chapter, new Map(readCsv(text).map((row) => [row.stage, row])));
    }
    return counted.get(chapter);
}

const measured = new Map();
/** The GPU's measurements for a chapter, {device, rows}; `more`: another of its files, or null. */
export function measuredOf(chapter, more = '') {
    const name = `${chapter}${more}.csv`;
    if (!measured.has(name)) measured.set(name, measuredIn(path.join(ROOT, 'docs/results', GPU, name)));
    return measured.get(name);
}

/** The GPU's time in microseconds, or null. */
export function timeOf(chapter, stage, n, hot = false) {
    const { setting } = TIMED_AT[chapter];
    const row = measuredOf(chapter).rows.findLast(
        (each) => each.stage === stage && each.n === n && each.setting === setting,
    );
    return (hot ? row?.hot : row?.time) ?? null;
}

/** The stages of a chapter in the order of its table. */
export function stagesOf(chapter) {
    return [...countsOf(chapter).values()].filter(({ kind }) => kind === 'stage').map(({ stage }) => stage);
}

/** The name of the stage that one is compared with, or null for the first. */
export function besideOf(chapter, stage, { beside } = PAIRS[chapter][stage]) {
    const all = stagesOf(chapter);
    return beside === undefined ? all[all.indexOf(stage) - 1] : beside;
}

/** The recording that shows the most: 1,024 items if there is one, else 64. */
export function recordingOf(chapter, stage, among = ['random-1024', 'random-64']) {
    const name = among.find((each) => fs.existsSync(path.join(TRACES, chapter, stage, `${each}.json`)));
    if (!name) return null;
    const file = path.join(TRACES, chapter, stage, `${name}.json`);
    return { name, items: Number(name.split('-')[1]), trace: JSON.parse(fs.readFileSync(file, 'utf8')) };
}

/** The basis for choosing steps: what a warp costs in one, above all in the compared measure. */
function weight({ sectors, wavefronts = 0, turns = 1 }, measure) {
    const touched = sectors?.size ?? 0;
    return (
        touched * (measure === 'sectors' ? 4 : 1) + wavefronts * (measure === 'wavefronts' ? 4 : 1) + turns
    );
}

/** The warp of the first block that a picture of a step shows. */
export function shownGroup(step) {
    return step.groups.find(({ b }) => b === 0) ?? step.groups[0];
}

/** What a step looks like, whether it loads or stores: one of several similar steps is enough. */
function look(step) {
    const group = shownGroup(step);
    const places = (group.at ?? group.from ?? []).map((each, i, all) => each - all[0]);
    const warps = step.groups.filter(({ b }) => b === group.b).length;
    const space = group.array?.space ?? step.kind;
    return JSON.stringify([step.kind === 'atomic', space, group.array?.title, group.lanes, places, warps]);
}

/** [{at, look, cost}] of the steps in which lanes work. */
function looks(playback, measure) {
    const found = [];
    for (let at = 0; at < playback.length; ++at) {
        const step = playback.detail(at);
        if (WAITS.has(step.kind) || step.kind === 'vote') continue;
        const cost = step.groups.reduce((sum, group) => sum + weight(group, measure), 0);
        found.push({ at, kind: step.kind, look: look(step), cost });
    }
    return found;
}

/** Steps whose picture or cost differs from that of loads and stores: one of each kind is shown. */
const KINDS = ['shuffle', 'atomic'];

/** Given steps with a look and a cost: the first step of each of the most expensive looks, sorted. */
function costliest(steps, most) {
    const byLook = new Map();
    for (const { at, kind, look: name, cost } of steps) {
        const known = byLook.get(name) ?? { at, kind, cost: 0 };
        known.cost += cost;
        byLook.set(name, known);
    }
    const all = [...byLook.values()].sort((a, b) => b.cost - a.cost || a.at - b.at);
    const ofKinds = KINDS.flatMap((kind) => all.find((each) => each.kind === kind) ?? []);
    return [...new Set([...ofKinds, ...all])].slice(0, most).map(({ at }) => at);
}

/**
 * The numbers of some steps of each of one or two runs: the most expensive ones, except those that look the
 * same in both and cost about the same, of which only the first is kept. Runs of equal length advance side by
 * side. None if nothing differs.
 */
export function chosenSteps(playbacks, measure, most = STEPS) {
    const all = playbacks.map((playback) => looks(playback, measure));
    const [one, two] = all;
    if (!two) return [costliest(one, most).sort((a, b) => a - b)];
    if (one.length === two.length) {
        const both = one.map((each, i) => ({
            at: i,
            kind: two[i].kind,
            look: `${each.look} ${two[i].look}`,
            cost: each.cost + two[i].cost,
            isSame: each.look === two[i].look,
        }));
        if (both.every(({ isSame }) => isSame)) return [[], []];
        const chosen = withFirst(both, most);
        return all.map((steps) => chosen.map((i) => steps[i].at));
    }
    const sums = all.map(sumsOf);
    return all.map((steps, i) =>
        withFirst(
            steps.map((each) => {
                const [mine, other] = [sums[i].get(each.look), sums[1 - i].get(each.look) ?? 0];
                return { ...each, isSame: mine <= 2 * other && other <= 2 * mine };
            }),
            most,
        ),
    );
}

/** What the steps of each look cost together. */
function sumsOf(steps) {
    const sums = new Map();
    for (const { look: name, cost } of steps) sums.set(name, (sums.get(name) ?? 0) + cost);
    return sums;
}

/** The most expensive of the steps that differ, and the first of those that do not, sorted. */
function withFirst(steps, most) {
    const same = steps.find(({ isSame }) => isSame);
    const different = costliest(
        steps.filter(({ isSame }) => !isSame),
        same ? most - 1 : most,
    );
    return [...(same ? [same.at] : []), ...different].sort((a, b) => a - b);
}

/** How the second number compares with the first: 'less', 'same', 'more'. */
export function change([before, now]) {
    if (now * SAME < before) return 'less';
    return now > before * SAME ? 'more' : 'same';
}

const ALIKE = { less: en`The time falls.`, same: en`The time is unchanged.`, more: en`The time rises.` };

/** What count and time say together, in a few words. */
export function verdict(counts, times, isAlike = false) {
    const [count, time] = [change(counts), change(times)];
    const words = {
        less: {
            less: en`Both fall.`,
            same: en`The count falls, the time is unchanged.`,
            more: en`The count falls, the time rises.`,
        },
        same: {
            less: en`The count is unchanged, the time falls.`,
            same: en`Neither changes.`,
            more: en`The count is unchanged, the time rises.`,
        },
        more: {
            less: en`The count rises, the time falls.`,
            same: en`The count rises, the time is unchanged.`,
            more: en`Both rise.`,
        },
    };
    if (isAlike) return t`The lab counts the same for both. ${say(ALIKE[time])}`;
    return say(words[count][time]);
}

const sources = new Map();
/** What a stage removes, as the comment above it in its source says. */
export function removedBy(chapter, stage) {
    if (!sources.has(chapter)) {
        const { folder } = CHAPTERS.find(({ id }) => id === chapter);
        const all = stageSources(folder).map((file) => textOf(file));
        sources.set(chapter, all.join('\n'));
    }
    for (const [comment] of sources
        .get(chapter)
        .matchAll(new RegExp(`^// ${stage}: (?:.*\\n// )*?Remains: `, 'gm'))) {
        const [, removed] = /^\/\/ Removes: ([^]*)\n\/\/ Remains: /m.exec(comment) ?? [];
        if (removed) return removed.replaceAll('\n// ', ' ');
    }
    throw new Error(`${chapter}: nothing says what ${stage} removes`);
}

/** Are all of the lab's counts the same for two stages? */
function areAlike([one, two]) {
    return Boolean(two) && Object.keys(COUNTS).every((measure) => one[measure] === two[measure]);
}

/**
 * {chapter, stage, beside, measure, counted: {n, of}, timed: {n, us, hot, device}, sides, removed, isAlike,
 * isNear, says}: everything that the strip of a stage shows, or null if it has none. `sides`: what is drawn
 * for each stage, {name, playback, steps, items}; none if steps would show nothing.
 */
export function stripOf(chapter, stage, pair = PAIRS[chapter]?.[stage]) {
    if (!pair) return null;
    const { measure = 'sectors', n: wanted, hot = false, steps = true, says = '' } = pair;
    const beside = besideOf(chapter, stage, pair);
    const names = [beside, stage].filter(Boolean);
    const rows = names.map((name) => countsOf(chapter).get(name));
    const sizes = wanted ? [wanted] : TIMED_AT[chapter].sizes;
    const n = sizes.find((size) => names.every((name) => timeOf(chapter, name, size, hot) !== null));
    if (!n)
        throw new Error(`${chapter}, ${stage}: ${names.join(' and ')} were not timed at ${sizes.join(', ')}`);
    const sides = steps ? sidesOf(chapter, names, measure) : [];
    return {
        chapter,
        stage,
        beside,
        measure,
        counted: { n: Number(rows[0].n), of: rows.map((row) => Number(row[measure])) },
        timed: {
            n,
            hot,
            us: names.map((name) => timeOf(chapter, name, n, hot)),
            device: measuredOf(chapter).device,
        },
        sides,
        removed: beside ? removedBy(chapter, stage) : '',
        isAlike: areAlike(rows),
        isNear: sides.length > 0 && names.some((name) => APPROXIMATE[chapter]?.includes(name)),
        says,
    };
}

/** Two stages are shown with the same input. */
function sidesOf(chapter, names, measure) {
    const all = names.map((name) => recordingOf(chapter, name));
    if (!all.every(Boolean)) return [];
    const least = Math.min(...all.map(({ items }) => items));
    const sides = names.map((name, i) => {
        const { items, trace } =
            all[i].items === least ? all[i] : recordingOf(chapter, name, [`random-${least}`]);
        return { name, items, playback: new Playback(trace) };
    });
    const steps = chosenSteps(
        sides.map(({ playback }) => playback),
        measure,
    );
    return steps.flat().length ? sides.map((each, i) => ({ ...each, steps: steps[i] })) : [];
}
