// What a step costs. The measure that is chosen is the width of a step in the picture of the run.

import { en } from '../language.mjs';

/** Steps in which no lane works. */
export const WAITS = new Set(['barrier', 'syncwarp']);

/** What each measure counts for one warp in one step, by the lab's rules. */
export const MEASURES = {
    wavefronts: {
        title: en`shared wavefronts`,
        count: (number) => (number === 1 ? en`wavefront so far` : en`wavefronts so far`),
        of: ({ wavefronts }) => wavefronts ?? 0,
    },
    sectors: {
        title: en`global sectors`,
        count: (number) => (number === 1 ? en`sector so far` : en`sectors so far`),
        of: ({ sectors }) => sectors?.size ?? 0,
    },
    idle: {
        title: en`idle lanes`,
        count: (number) => (number === 1 ? en`idle lane so far` : en`idle lanes so far`),
        of: ({ lanes }) => 32 - lanes.length,
    },
    steps: {
        title: en`steps`,
        count: (number) => (number === 1 ? en`step so far` : en`steps so far`),
    },
};

/** What the run has cost before each step and at its end: one more number than there are steps. */
export function runningCosts(playback, measure) {
    const { of } = MEASURES[measure];
    const sums = [0];
    for (let at = 0; at < playback.length; ++at) {
        const { kind, groups } = playback.detail(at);
        let cost = 0;
        if (!of) cost = 1;
        else if (!WAITS.has(kind)) for (const group of groups) cost += of(group);
        sums.push(sums[at] + cost);
    }
    return sums;
}

/** The measures that some of the runs have any of. */
export function measuresOf(playbacks) {
    return Object.keys(MEASURES).filter((name) =>
        playbacks.some((playback) => runningCosts(playback, name).at(-1) > 0),
    );
}

/**
 * The most informative measure: the one in which two runs differ most, or of which a single run has the most.
 * A measure that is 0 in one run is no comparison: it would show the better version as the more expensive
 * one.
 */
export function telling(playbacks) {
    const weights = ['wavefronts', 'sectors'].map((name) => {
        const sums = playbacks.map((playback) => runningCosts(playback, name).at(-1));
        const [low, high] = [Math.min(...sums), Math.max(...sums)];
        return { name, weight: low === 0 ? 0 : playbacks.length > 1 ? high / low : high };
    });
    const [best] = weights.sort((a, b) => b.weight - a.weight);
    return best.weight > 0 ? best.name : 'steps';
}
