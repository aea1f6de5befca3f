// The bitonic network on sixteen keys: which keys are compared, one step at a time.
import { en, t } from '../language.mjs';
import { path, shuffled, text } from './drawing.mjs';

/** The steps for n keys, n a power of two, as main.cu has them: [{i, j, pairs: [[lower, upper]]}]. */
export function bitonicSteps(n) {
    const found = [];
    for (let i = 2; i <= n; i *= 2) {
        for (let j = i / 2; j >= 1; j /= 2) {
            const pairs = Array.from({ length: n / 2 }, (_, pair) => {
                const lower = 2 * pair - (pair & (j - 1));
                return [lower, j === i / 2 ? lower ^ (i - 1) : lower ^ j];
            });
            found.push({ i, j, pairs });
        }
    }
    return found;
}

/** The keys after a step, and the pairs that have exchanged theirs: {keys, exchanged: [[lower, upper]]}. */
export function compareExchange(before, { pairs }) {
    const keys = [...before];
    const exchanged = pairs.filter(([lower, upper]) => keys[lower] > keys[upper]);
    for (const [lower, upper] of exchanged) [keys[lower], keys[upper]] = [keys[upper], keys[lower]];
    return { keys, exchanged };
}

const KEYS = shuffled(16, 9).map((key) => key + 1);
const STEPS = bitonicSteps(KEYS.length);
/** Before the first step, then after each of them. */
const RUN = STEPS.reduce(
    (run, step) => [...run, compareExchange(run.at(-1).keys, step)],
    [{ keys: KEYS, exchanged: [] }],
);
const CELL = 21;
const LEFT = 8;
const centre = (at) => LEFT + CELL * (at + 0.5);

/** The keys before the step, an arc for each comparison, the keys after it; a bracket for each run of the level. */
function picture(number) {
    const step = STEPS[number - 1];
    const { keys, exchanged } = RUN[number];
    const hasMoved = new Set(exchanged.flat());
    const kind = (at) => (hasMoved.has(at) ? 'last' : '');
    const arc = ([lower, upper]) => {
        const bottom = 40 + 5.6 * (upper - lower);
        const [from, to] = [centre(lower), centre(upper)];
        const ends = `M${from} 24C${from} ${bottom} ${to} ${bottom} ${to} 24`;
        return path(hasMoved.has(lower) ? 'exchange' : 'compare', ends);
    };
    const runs = step?.i ?? 1;
    const bracket = (_, run) => {
        const [from, to] = [LEFT + CELL * run * runs + 3, LEFT + CELL * (run + 1) * runs - 3];
        return path(step?.j === 1 ? 'sorted' : 'bracket', `M${from} 146v6H${to}v-6`);
    };
    const parts = [
        ...RUN[Math.max(0, number - 1)].keys.map((key, at) => text(kind(at), centre(at), 16, key)),
        ...(step?.pairs ?? []).map(arc),
        ...keys.map((key, at) => text(kind(at), centre(at), 140, key)),
        ...Array.from({ length: KEYS.length / runs }, bracket),
    ];
    return { width: 352, height: 158, parts: parts.join('') };
}

function words(number) {
    if (number === 0)
        return t`${KEYS.length} runs of one key. A step compares ${KEYS.length / 2} pairs of keys.`;
    const { i, j, pairs } = STEPS[number - 1];
    const distance = j === i / 2 ? t`j = ${j}, mirror images` : t`distance j = ${j}`;
    const runs =
        j > 1 ? '' : i === KEYS.length ? t` All keys are sorted.` : t` Runs of ${i} keys are sorted.`;
    return t`Level i = ${i}, ${distance}: ${RUN[number].exchanged.length} of ${pairs.length} pairs exchange their keys.${runs}`;
}

export const network = {
    title: en`The distances of the network`,
    inputs: { step: { title: en`step`, min: 0, max: STEPS.length, start: 7 } },
    plays: 'step',
    show: ({ step }) => ({ picture: picture(step), words: words(step) }),
};
