// What can be tried below a listing, if build/listings.mjs does not find it by itself.

/** Items of a run, by chapter: the browser lab's default, or as many as fill a block. */
export const ITEMS = { ch01: 64, ch02: 1024, ch03: 1024, ch04: 1024, ch05: 64, ch06: 1024 };

/** Keys of several tiles. */
const LARGE = 16384;

const LAUNCHES = { unit: 'launches' };
const BARRIERS = { unit: 'barriers' };
const BLOCKS = { unit: 'blocks' };

/**
 * By chapter and stage: `n`, if the default does not show what the stage is about; `without`: which of the
 * barriers of a listing can be left out (1: the first, as everywhere else; 0: none, as no run shows that it
 * is missing); `predict`: a number to predict (theme/listing/prediction.mjs), for a line of a listing or for
 * the whole run; `change`: a place of main.cu, and what the browser lab puts there: an edit that costs
 * something else, or that is a `fault` or gives a `wrong` result. It runs with `n` items; `shown`: the part
 * of it that matters, or `removed`: what it removes.
 */
export const LISTINGS = {
    ch01: {
        global: { predict: BARRIERS },
        shared: { predict: { line: 'tile[i] = ordered_int(keys[i])', unit: 'sectors' } },
        grid: {
            predict: LAUNCHES,
            change: {
                line: 'if (i + 1 < n) compare_exchange(keys[i], keys[i + 1]);',
                to: 'compare_exchange(keys[i], keys[i + 1]);',
                removed: 'if (i + 1 < n)',
                shows: 'fault',
            },
        },
        tiles: {
            without: 0,
            predict: { line: 'tile[i] = ordered_int(keys[begin + i])', unit: 'sectors' },
            change: {
                line: 'if (i + 1 < count) tile[i + 1] = ordered_int(keys[begin + i + 1]);',
                to: 'tile[i + 1] = ordered_int(keys[begin + i + 1]);',
                removed: 'if (i + 1 < count)',
                shows: 'fault',
            },
        },
        coalesced: { predict: { line: 'tile[i] = ordered_int(keys[begin + i])', unit: 'sectors' } },
        shuffle: { predict: BARRIERS },
        registers: { predict: BARRIERS },
        overlap: { n: 256, predict: BARRIERS },
        unrolled: { predict: BARRIERS },
        halo: { predict: BARRIERS },
    },
    ch02: {
        atomic: {
            predict: { line: 'atomicAdd(sum, items[i])', unit: 'atomic operations' },
            change: {
                line: 'atomicAdd(sum, items[i]);',
                to: '*sum += items[i];',
                shows: 'fault',
            },
        },
        neighbour: { predict: { line: 'sums[t] += sums[t + s]', unit: 'wavefronts' } },
        compact: { predict: { line: 'sums[left] += sums[left + s]', unit: 'wavefronts' } },
        sequential: {
            predict: { line: 'sums[t] += sums[t + half]', unit: 'wavefronts' },
            change: { line: 'kThreads = 512', to: 'kThreads = 1024' },
        },
    },
    ch03: {
        sequential: { predict: BARRIERS },
        contiguous: {
            predict: { line: 'mine += items[i]', unit: 'sectors' },
            change: { line: 'kItems = 8;', to: 'kItems = 4;' },
        },
        coalesced: {
            predict: { line: 'mine += items[i]', unit: 'sectors' },
            // A stride with which each item of the tile is still read once.
            change: {
                line: 'i = begin + k * kThreads;',
                to: 'i = begin - threadIdx.x + 33 * (threadIdx.x + k * kThreads) % kTile;',
                shown: '33 * (threadIdx.x + k * kThreads) % kTile',
            },
        },
        unrolled: {
            predict: BARRIERS,
            change: {
                line: '__syncwarp();  // all lanes have read before any writes',
                to: '',
                removed: '__syncwarp()',
                shows: 'fault',
            },
        },
        shuffle: { predict: { line: 'warp_sums[threadIdx.x / kWarpSize] = mine', unit: 'requests' } },
        vector: {
            n: 1027,
            predict: { unit: 'requests to global memory' },
            change: {
                line: 'float4 values[kVectors];\n    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);\n    const float sum = block_sum(sum_of(values) + sum_tail(items, n));',
                to: 'float4 values[kVectors];\n    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);\n    const float sum = block_sum(sum_of(values));',
                removed: '+ sum_tail(items, n)',
                shows: 'wrong',
            },
        },
        in_flight: {
            n: 65536,
            predict: BLOCKS,
            change: { line: 'kInFlight = 4;', to: 'kInFlight = 8;' },
        },
        grid_stride: {
            predict: { line: 'vectors[i]', unit: 'sectors' },
            change: {
                line: 'i < count ? vectors[i] : float4{};\n        }\n        mine += sum_of(values);',
                to: 'vectors[i];\n        }\n        mine += sum_of(values);',
                shown: 'values[k] = vectors[i]',
                shows: 'fault',
            },
        },
        one_pass: { n: LARGE, predict: LAUNCHES },
        tile_per_block: { n: LARGE, predict: BLOCKS },
        single_block: { n: LARGE, predict: BLOCKS },
    },
    ch04: {
        one_thread: {
            predict: { line: 'sum += square(items[i])', unit: 'sectors' },
            change: {
                line: 'for (std::size_t i = 0; i < n; ++i) sum += square(items[i]);\n    sums[0] = sum;',
                to: 'for (std::size_t i = 1; i < n; ++i) sum += square(items[i]);\n    sums[0] = sum;',
                shown: 'i = 1',
                shows: 'wrong',
            },
        },
        chunked: {
            n: 4096,
            predict: { line: 'sum += square(items[i])', unit: 'sectors' },
            change: {
                n: 4000,
                line: 'begin + piece < n ? begin + piece : n;',
                to: 'begin + piece;',
                shown: 'end = begin + piece',
                shows: 'fault',
            },
        },
        interleaved: {
            predict: { line: 'sum += square(items[i])', unit: 'sectors' },
            // A stride with which each of 1,024 items is still read once.
            change: {
                line: 'i += kThreads) sum += square(items[i])',
                to: 'i += kThreads) sum += square(items[33 * i % n])',
                shown: 'items[33 * i % n]',
            },
        },
        blocks: {
            predict: { line: 'sum += square(items[i])', unit: 'sectors' },
            change: { line: 'kArticleThreads = 64;', to: 'kArticleThreads = 16;' },
        },
        thread0: { predict: { line: 'sum += block_sums[t]', unit: 'requests' } },
        tree: { predict: BARRIERS },
        atomic: {
            predict: { line: 'atomicAdd(sums, sum)', unit: 'atomic operations' },
            change: {
                line: 'interleaved_sum(items, n, kArticleGridThreads));\n    if (threadIdx.x == 0) atomicAdd(sums, sum);',
                to: 'interleaved_sum(items, n, kArticleGridThreads));\n    if (threadIdx.x == 0) *sums += sum;',
                shown: '*sums += sum',
                shows: 'fault',
            },
        },
        full_grid: {
            predict: { line: 'atomicAdd(sums, sum)', unit: 'atomic operations' },
            change: {
                line: 'tree_sum<kThreads>(interleaved_sum(items, n, threads));\n    if (threadIdx.x == 0) atomicAdd(sums, sum);',
                to: 'tree_sum<kThreads>(interleaved_sum(items, n, threads));\n    atomicAdd(sums, sum);',
                removed: 'if (threadIdx.x == 0)',
                shows: 'wrong',
            },
        },
        shuffle: { predict: BARRIERS },
        vector: { predict: { line: 'mine += sum_squares(vectors[i])', unit: 'sectors' } },
        in_flight: { predict: { line: 'atomicAdd(sums, sum)', unit: 'atomic operations' } },
        tile_per_block: { n: LARGE, predict: BLOCKS },
        single_block: { n: LARGE, predict: BLOCKS },
    },
    ch05: {
        odd_even: {
            predict: LAUNCHES,
            change: {
                line: 'if (i + 1 < n) compare_exchange(keys[i], keys[i + 1]);',
                to: 'compare_exchange(keys[i], keys[i + 1]);',
                removed: 'if (i + 1 < n)',
                shows: 'fault',
            },
        },
        merge_thread: {
            n: 1024,
            predict: { line: 'to[i] = from[take_a ? a++ : b++]', unit: 'sectors' },
            change: {
                line: '(b == end || !(from[b] < from[a]));',
                to: '!(from[b] < from[a]);',
                removed: 'b == end ||',
                shows: 'fault',
            },
        },
        merge_rank: { n: 1024, predict: BARRIERS },
        merge_split: { n: LARGE, predict: LAUNCHES },
        merge_path: { n: LARGE, predict: LAUNCHES },
        bitonic_block: { n: 1024, predict: BARRIERS },
        bitonic_global: {
            predict: LAUNCHES,
            change: {
                line: 'j > 0; j /= 2) bitonic_step(keys, n, i, j);',
                to: 'j > 1; j /= 2) bitonic_step(keys, n, i, j);',
                shown: 'j > 1; j /= 2',
                shows: 'wrong',
            },
        },
        bitonic_shared: { n: 4096, predict: LAUNCHES },
        bitonic_registers: { n: LARGE, predict: LAUNCHES },
        merge_windows: { n: LARGE, predict: LAUNCHES },
        sample_sort: { n: 1024, predict: LAUNCHES },
        kept_buckets: { n: 1024, predict: LAUNCHES },
        bitonic_best: { n: LARGE, predict: LAUNCHES },
        register_buckets: { n: 1024, predict: LAUNCHES },
        few_ways: { n: LARGE, predict: LAUNCHES },
        ordered_tiles: { n: LARGE, predict: LAUNCHES },
        computed_places: { n: LARGE, predict: LAUNCHES },
        sample_best: { predict: LAUNCHES },
    },
    ch06: {
        insert: { predict: { line: 'mine[i] = top[i]', unit: 'wavefronts' } },
        parallel_output: {
            predict: { line: 'result[blockIdx.x * k + threadIdx.x] = lists[threadIdx.x]', unit: 'sectors' },
            change: {
                line: 'if (threadIdx.x < min(k, n)) result[blockIdx.x * k + threadIdx.x] = lists[threadIdx.x];',
                to: 'result[blockIdx.x * k + threadIdx.x] = lists[threadIdx.x];',
                removed: 'if (threadIdx.x < min(k, n))',
                shows: 'fault',
            },
        },
        multi_pass: {
            n: LARGE,
            predict: LAUNCHES,
            change: {
                line: 'while (blocks > 1) {\n        const unsigned keys = blocks * k;',
                to: 'if (blocks > 1) {\n        const unsigned keys = blocks * k;',
                shown: 'if (blocks > 1)',
                shows: 'wrong',
            },
        },
        threshold: { predict: { line: 'waiting[atomicAdd(&count, 1u)] = key', unit: 'wavefronts' } },
        warp_queue: {
            predict: BARRIERS,
            change: {
                n: 1000,
                line: 'first + threadIdx.x % kWarpSize;\n        offer(i < n ? keys[i] : kEmpty, k, mine);',
                to: 'first + threadIdx.x % kWarpSize;\n        offer(keys[i], k, mine);',
                shown: 'offer(keys[i], k, mine)',
                shows: 'fault',
            },
        },
        vector_queue: {
            n: LARGE,
            predict: BLOCKS,
            change: { line: 'kVectorReads = 4;', to: 'kVectorReads = 2;' },
        },
        shared_threshold: {
            n: LARGE,
            predict: LAUNCHES,
            change: {
                line: 'if (kth <= threshold) continue;',
                to: '',
                removed: 'if (kth <= threshold) continue',
            },
        },
        one_launch: { without: 2, predict: LAUNCHES },
        candidate_set: { without: 2, predict: LAUNCHES },
        next_tile: { predict: LAUNCHES },
        one_read: { predict: LAUNCHES },
        sample_threshold: { predict: LAUNCHES },
        digit_passes: { predict: LAUNCHES },
        radix_select: { predict: LAUNCHES },
        segment_maxima: { predict: LAUNCHES },
        segment_lead: { predict: LAUNCHES },
        best: { predict: LAUNCHES },
    },
};
