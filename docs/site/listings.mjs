// What can be tried below a listing, if build/listings.mjs does not find it by itself.

/** Items of a run, by chapter: those of the browser lab at first, or as many as fill a block. */
export const ITEMS = { ch01: 64, ch02: 1024, ch03: 1024, ch04: 1024, ch05: 64, ch06: 1024 };

/** Keys of several tiles. */
const LARGE = 16384;

/**
 * By chapter and stage: `n`, where as many items do not show what the stage is about; `without`: which of the
 * barriers of a listing can be left out (1: the first, as everywhere else; 0: none, as no run shows that it is
 * missing); `predict`: a line of a listing, and the unit in which one of its requests is predicted; `change`: a
 * place of main.cu, and what the browser lab puts there: an edit to be counted (`shown`: the part that matters).
 */
export const LISTINGS = {
    ch01: {
        tiles: { without: 0, predict: { line: 'tile[i] = ordered_int(keys[begin + i])', unit: 'sectors' } },
        overlap: { n: 256 },
        coalesced: { predict: { line: 'tile[i] = ordered_int(keys[begin + i])', unit: 'sectors' } },
    },
    ch02: {
        neighbour: { predict: { line: 'sums[t] += sums[t + s]', unit: 'wavefronts' } },
        compact: { predict: { line: 'sums[left] += sums[left + s]', unit: 'wavefronts' } },
        sequential: {
            predict: { line: 'sums[t] += sums[t + half]', unit: 'wavefronts' },
            change: { line: 'kThreads = 512', to: 'kThreads = 1024' },
        },
    },
    ch03: {
        contiguous: { predict: { line: 'mine += items[i]', unit: 'sectors' } },
        coalesced: { predict: { line: 'mine += items[i]', unit: 'sectors' } },
        grid_stride: { predict: { line: 'vectors[i]', unit: 'sectors' } },
    },
    ch04: {
        one_thread: { predict: { line: 'sum += square(items[i])', unit: 'sectors' } },
        chunked: { n: 4096, predict: { line: 'sum += square(items[i])', unit: 'sectors' } },
        interleaved: {
            predict: { line: 'sum += square(items[i])', unit: 'sectors' },
            // A stride with which each of 1,024 items is still read once.
            change: {
                line: 'i += kThreads) sum += square(items[i])',
                to: 'i += kThreads) sum += square(items[33 * i % n])',
                shown: 'items[33 * i % n]',
            },
        },
        atomic: { predict: { line: 'atomicAdd(sums, sum)', unit: 'sectors' } },
    },
    ch05: {
        merge_thread: { n: 1024, predict: { line: 'to[i] = from[take_a ? a++ : b++]', unit: 'sectors' } },
        merge_rank: { n: 1024 },
        merge_split: { n: LARGE },
        merge_path: { n: LARGE },
        bitonic_block: { n: 1024 },
        bitonic_shared: { n: 4096 },
        bitonic_registers: { n: LARGE },
        merge_windows: { n: LARGE },
        sample_sort: { n: 1024 },
        kept_buckets: { n: 1024 },
        bitonic_best: { n: LARGE },
        register_buckets: { n: 1024 },
        few_ways: { n: LARGE },
        ordered_tiles: { n: LARGE },
        computed_places: { n: LARGE },
    },
    ch06: {
        insert: { predict: { line: 'mine[i] = top[i]', unit: 'wavefronts' } },
        threshold: { predict: { line: 'waiting[atomicAdd(&count, 1u)] = key', unit: 'wavefronts' } },
        one_launch: { without: 2 },
        candidate_set: { without: 2 },
    },
};
