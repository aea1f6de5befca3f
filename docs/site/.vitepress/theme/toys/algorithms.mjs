// Pictures of things that no single step of a run shows: the search of the merge path, buckets that fill, a
// threshold that rises. Each does to a few keys what the stage does to many. They move by themselves, and can
// be dragged.
import { line, rect, shuffled, text } from './drawing.mjs';
import { network } from './network.mjs';
import { tiles } from './tiles.mjs';

import { counted, en, t } from '../language.mjs';

/** The keys of the chapter's own picture, figures/merge_path.svg. */
const RUN_A = [1, 4, 6, 7, 10, 13, 15, 16];
const RUN_B = [2, 3, 5, 8, 9, 11, 12, 14];
const CELL = 24;
const MARGIN = 34;

/** merge_path_cut() of merging.hpp: {cut: keys of `a` before the diagonal, asked: [{i, j, isLess}]}. */
export function mergePathCut(a, b, diagonal) {
    let low = Math.max(0, diagonal - b.length);
    let high = Math.min(diagonal, a.length);
    const asked = [];
    while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const isLess = b[diagonal - 1 - middle] < a[middle];
        asked.push({ i: middle, j: diagonal - 1 - middle, isLess });
        if (isLess) high = middle;
        else low = middle + 1;
    }
    return { cut: low, asked };
}

const x = (i) => MARGIN + CELL * i;

function mergePathPicture(diagonal, { cut, asked }) {
    const parts = [];
    for (let i = 0; i <= 8; ++i) {
        parts.push(line('grid', x(i), x(0), x(i), x(8)), line('grid', x(0), x(i), x(8), x(i)));
    }
    RUN_A.forEach((key, i) => parts.push(text(i < cut ? 'taken' : '', x(i) + CELL / 2, x(0) - 8, key)));
    RUN_B.forEach((key, j) =>
        parts.push(text(j < diagonal - cut ? 'taken' : '', x(0) - 14, x(j) + CELL / 2 + 4, key)),
    );
    for (const { i, j, isLess } of asked) {
        parts.push(rect(isLess ? 'yes' : 'no', x(i), x(j), CELL, CELL));
        parts.push(text('answer', x(i) + CELL / 2, x(j) + CELL / 2 + 4, isLess ? t`yes` : t`no`));
    }
    const left = Math.max(0, diagonal - 8);
    parts.push(line('diagonal', x(left), x(diagonal - left), x(diagonal - left), x(left)));
    const path = Array.from({ length: diagonal + 1 }, (_, d) => {
        const i = mergePathCut(RUN_A, RUN_B, d).cut;
        return `${x(i)},${x(d - i)}`;
    });
    parts.push(`<polyline class="path" points="${path.join(' ')}"/>`);
    parts.push(`<circle class="cut" cx="${x(cut)}" cy="${x(diagonal - cut)}" r="5"/>`);
    return { width: x(8) + 12, height: x(8) + 8, parts: parts.join('') };
}

const KEYS = shuffled(32, 5);
/** An evenly spaced sample; every third of its sorted keys is a splitter. */
const SPLITTERS = KEYS.filter((_, i) => i % 3 === 1)
    .sort((a, b) => a - b)
    .filter((_, i) => i % 3 === 2)
    .slice(0, 3);
/** As bucket_of() in main.cu: the number of splitters not greater than the key. */
export const bucketOf = (key, splitters) => splitters.filter((splitter) => splitter <= key).length;

function bucketsPicture(moved) {
    const parts = [];
    KEYS.forEach((key, i) => {
        const at = [8 + (i % 16) * 21, 16 + Math.floor(i / 16) * 20];
        parts.push(text(i < moved ? 'gone' : i === moved ? 'next' : '', at[0] + 9, at[1], key));
    });
    const filled = [0, 0, 0, 0];
    for (let b = 0; b < 4; ++b) {
        const left = 8 + b * 86;
        parts.push(rect('bucket', left, 62, 76, 84));
        const range = t`${b === 0 ? 0 : SPLITTERS[b - 1]} to ${b === 3 ? 31 : SPLITTERS[b] - 1}`;
        parts.push(text('label', left + 38, 162, range));
    }
    KEYS.slice(0, moved).forEach((key, i) => {
        const b = bucketOf(key, SPLITTERS);
        const place = filled[b]++;
        const at = [8 + b * 86 + 10 + (place % 3) * 24, 140 - Math.floor(place / 3) * 16];
        parts.push(text(i === moved - 1 ? 'last' : 'in', at[0] + 4, at[1], key));
    });
    return { width: 352, height: 170, parts: parts.join(''), filled };
}

const STREAM = shuffled(64, 13);
const LISTED = 4;
const THREADS = 8;

/** The rounds of a block with one list: [{keys, threshold before, passed}]. */
export function rounds(keys, k, threads) {
    const found = [];
    let list = [];
    for (let first = 0; first < keys.length; first += threads) {
        const round = keys.slice(first, first + threads);
        const threshold = list.length < k ? -1 : list[k - 1];
        const passed = round.filter((key) => key > threshold);
        list = [...list, ...passed].sort((a, b) => b - a).slice(0, k);
        found.push({ keys: round, threshold, passed: passed.length, list });
    }
    return found;
}

const ROUNDS = rounds(STREAM, LISTED, THREADS);

function thresholdPicture(round) {
    const height = (key) => 150 - (key / 63) * 132;
    const parts = [];
    ROUNDS.forEach(({ keys, threshold }, r) => {
        const left = 8 + r * 42;
        if (r < round && threshold >= 0)
            parts.push(line('threshold', left, height(threshold), left + 42, height(threshold)));
        if (r === round) parts.push(rect('now', left, 8, 42, 150));
        keys.forEach((key, t) => {
            const kind = r >= round ? 'later' : key > threshold ? 'passes' : 'out';
            parts.push(`<circle class="${kind}" cx="${left + 4 + t * 4.8}" cy="${height(key)}" r="2.6"/>`);
        });
    });
    return { width: 352, height: 164, parts: parts.join('') };
}

const listed = (counts) => t`${counts.slice(0, -1).join(t`, `)} and ${counts.at(-1)}`;

export const ALGORITHMS = {
    network,
    tiles,
    merge_path: {
        title: en`A diagonal crosses the merge path`,
        inputs: { diagonal: { title: en`diagonal`, min: 0, max: 16, start: 8 } },
        plays: 'diagonal',
        show({ diagonal }) {
            const found = mergePathCut(RUN_A, RUN_B, diagonal);
            const times = counted(found.asked.length, 'question');
            return {
                picture: mergePathPicture(diagonal, found),
                words: t`The first ${diagonal} keys of the result are ${found.cut} of run a and ${diagonal - found.cut} of run b: ${times} find it ("is this key of b less than that of a?").`,
            };
        },
    },
    sample_sort: {
        title: en`Buckets fill`,
        inputs: { moved: { title: en`keys moved`, min: 0, max: 32, start: 32 } },
        plays: 'moved',
        show({ moved }) {
            const { filled, ...picture } = bucketsPicture(moved);
            const last =
                moved > 0
                    ? t`Key ${KEYS[moved - 1]} goes to bucket ${bucketOf(KEYS[moved - 1], SPLITTERS)}. `
                    : '';
            return {
                picture,
                words: t`${last}The buckets hold ${listed(filled)} of ${KEYS.length} keys: the better the sample, the more even they are.`,
            };
        },
    },
    threshold: {
        title: en`The threshold rises, and fewer keys pass`,
        inputs: {
            round: { title: en`rounds of 8 keys`, min: 0, max: ROUNDS.length, start: ROUNDS.length },
        },
        plays: 'round',
        show({ round }) {
            const done = ROUNDS.slice(0, round);
            const all = done.reduce((sum, { passed }) => sum + passed, 0);
            const last = done.at(-1);
            const now = last ? t`${last.passed} of ${THREADS} keys pass in round ${round}; ` : '';
            return {
                picture: thresholdPicture(round),
                words: t`${now}${all} of ${round * THREADS} have passed. The block keeps the ${LISTED} largest.`,
            };
        },
    },
};
