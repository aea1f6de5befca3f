// Two kernels of chapter 3 for blocks of any size, as recordings that the player's parts can show: which
// lanes of which warps do what. A test compares both with what the lab records of the kernels.

import { unpacked } from '../player/costs.mjs';

const WARP = 32;

/** A list of numbers, packed as in compile_trace.mjs. */
function packed(numbers) {
    const stride = numbers.length > 1 ? numbers[1] - numbers[0] : 0;
    return numbers.length > 2 ? { of: [numbers[0], stride, numbers.length] } : numbers;
}

/** A group for each warp that contains one of these threads; `item`: which item a thread uses. */
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

/** How many items a thread adds up while it loads them. */
const ITEMS_PER_THREAD = { sequential: 1, coalesced: 8 };

/** One block that adds up `items` ones, a power of two. */
export function tree(kernel, items) {
    const threads = items / ITEMS_PER_THREAD[kernel];
    const all = Array.from({ length: threads }, (_, t) => t);
    const steps = [];
    const access = (kind, line, who, array, item = (t) => t) =>
        steps.push({ kind, line, wide: 1, groups: groups(who, array, item) });
    const store = (line, who, array, value) => {
        access('store', line, who, array);
        for (const group of steps.at(-1).groups) group.v = unpacked(group.at).map(() => value);
    };
    const barrier = (line) => steps.push({ kind: 'barrier', line, groups: [{ b: 0 }] });
    for (let first = 0; first < items; first += threads) access('load', 0, all, ITEMS, (t) => first + t);
    store(0, all, SUMS, items / threads);
    barrier(1);
    for (let half = threads / 2; half >= 1; half /= 2) {
        const who = all.slice(0, half);
        access('load', 2, who, SUMS);
        access('load', 2, who, SUMS, (t) => t + half);
        store(2, who, SUMS, items / half);
        barrier(3);
    }
    access('load', 4, all, SUMS, () => 0);
    store(4, [0], PARTIAL, items);
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
            array('items', 'global', items, new Array(items).fill(1)),
            array('sums', 'shared', threads, nothing(threads)),
            array('partial', 'global', 1, nothing(1)),
        ],
        lines: [0, 1, 2, 3, 4].map((line) => ['main.cu', line]),
        sources: [],
        steps,
        faults: [],
    };
}
