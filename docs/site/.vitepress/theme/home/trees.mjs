// Two kernels of chapter 2 for blocks of any size, as recordings that the player's parts can show: which
// lanes of which warps do what. A test compares both with what the lab records of the kernels.

import { unpacked } from '../player/costs.mjs';

const WARP = 32;

/** A list of numbers as compile_trace.mjs packs it. */
function packed(numbers) {
    const stride = numbers.length > 1 ? numbers[1] - numbers[0] : 0;
    return numbers.length > 2 ? { of: [numbers[0], stride, numbers.length] } : numbers;
}

/** A group for each warp that has one of these threads; `item`: which item a thread uses. */
function groups(threads, array, item) {
    const found = new Map();
    for (const thread of threads) {
        const w = Math.floor(thread / WARP);
        if (!found.has(w)) found.set(w, []);
        found.get(w).push(thread);
    }
    return [...found].map(([w, all]) => ({
        b: 0,
        w,
        a: array,
        lanes: packed(all.map((thread) => thread % WARP)),
        at: packed(all.map(item)),
    }));
}

const [ITEMS, SUMS, PARTIAL] = [0, 1, 2];

/** The threads that add at each level, and how far away the second item is. */
const LEVELS = {
    neighbour(threads) {
        const found = [];
        for (let s = 1; s < threads; s *= 2) found.push({ s, adds: (t) => t % (2 * s) === 0 });
        return found;
    },
    sequential(threads) {
        const found = [];
        for (let s = threads / 2; s >= 1; s /= 2) found.push({ s, adds: (t) => t < s });
        return found;
    },
};

/** One block of `threads` (a power of two) that adds up as many ones. */
export function tree(kernel, threads) {
    const all = Array.from({ length: threads }, (_, t) => t);
    const steps = [];
    const access = (kind, line, who, array, item = (t) => t) =>
        steps.push({ kind, line, wide: 1, groups: groups(who, array, item) });
    const store = (line, who, array, value) => {
        access('store', line, who, array);
        for (const group of steps.at(-1).groups) group.v = unpacked(group.at).map(() => value);
    };
    const barrier = (line) => steps.push({ kind: 'barrier', line, groups: [{ b: 0 }] });
    access('load', 0, all, ITEMS);
    store(0, all, SUMS, 1);
    barrier(1);
    LEVELS[kernel](threads).forEach(({ s, adds }, level) => {
        const who = all.filter(adds);
        access('load', 2, who, SUMS);
        access('load', 2, who, SUMS, (t) => t + s);
        store(2, who, SUMS, 2 ** (level + 1));
        barrier(3);
    });
    access('load', 4, [0], SUMS);
    store(4, [0], PARTIAL, threads);
    const array = (title, space, count, initial) => ({
        name: title,
        title,
        space,
        block: space === 'shared' ? 0 : -1,
        bytes: 4,
        items: count,
        shown: count,
        type: 'float',
        role: '',
        initial,
    });
    const nothing = (count) => new Array(count).fill(null);
    return {
        launches: [
            {
                kernel: `${kernel}_kernel`,
                grid: [1, 1, 1],
                block: [threads, 1, 1],
                blocks: 1,
                threads,
                first: 0,
            },
        ],
        arrays: [
            array(
                'items',
                'global',
                threads,
                all.map(() => 1),
            ),
            array('sums', 'shared', threads, nothing(threads)),
            array('partial', 'global', 1, nothing(1)),
        ],
        lines: [0, 1, 2, 3, 4].map((line) => ['main.cu', line]),
        sources: [],
        steps,
        faults: [],
    };
}
