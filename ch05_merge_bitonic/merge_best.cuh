// merge_best: windows merged in registers, four runs a sweep, or all levels in one launch. Sweeps
// of keys with values are in merge_pairs.cuh.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "../common/harness/device_info.hpp"
#include "merge.cuh"
#include "merge_groups.cuh"
#include "merge_pairs.cuh"
#include "tile.cuh"

namespace tutorial {

// ---- One block -------------------------------------------------------------------------------

/// Sorts tiles. Where there is only one it is stored as keys and values, else as words.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_tile_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                           typename S::Word* words, std::uint32_t* old_values) {
    using Word = typename S::Word;
    const unsigned begin = blockIdx.x * S::kTile;
    Word word[S::kKeys];
    load_and_sort<S>(word, shared_tile<Word>(), keys, values, old_values, begin, n, type);
    const unsigned first = begin + threadIdx.x / kWarpSize * S::kWindow + threadIdx.x % kWarpSize;
    if (gridDim.x == 1) {
        __syncthreads();  // all old values are stored before they are fetched
        store_sorted_window(word, first, n, type, old_values, keys, values);
    } else {
        store_window(word, words, first, n);
    }
}

/// One block, for no more than a tile.
template <class S>
void sort_one_tile(Job<typename S::Word> job) {
    if (job.n == 0) return;
    allow_shared(merge_best_tile_kernel<S>, S::kBytes);
    merge_best_tile_kernel<S><<<1, S::kThreads, S::kBytes>>>(
        job.keys, job.values, static_cast<unsigned>(job.n), job.type, job.words, job.old_values);
    CUDA_CHECK_LAUNCH();
}

// ---- One launch ------------------------------------------------------------------------------

/// Tiles are sorted, and then merged in pairs, all in one launch: the blocks, all of which run at
/// the same time, wait for each other between the levels. For keys that stay in the L2 cache, so
/// that a sweep costs less than a launch.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_grid_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                           typename S::Word* from, typename S::Word* to,
                           std::uint32_t* old_values) {
    using Word = typename S::Word;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    Word* const tile = shared_tile<Word>();
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    Word word[S::kKeys];
    for (unsigned begin = blockIdx.x * S::kTile; begin < n; begin += gridDim.x * S::kTile) {
        load_and_sort<S>(word, tile, keys, values, old_values, begin, n, type);
        store_window(word, from, begin + out + lane, n);
        __syncwarp();  // the window has been read before it is written again
    }
    for (unsigned run = S::kTile; run < n; run *= 2) {
        grid.sync();  // the runs are stored before other blocks read them
        for (unsigned at = blockIdx.x * S::kTile + out; at < n; at += gridDim.x * S::kTile) {
            const unsigned begin = at & ~(2 * run - 1);
            const unsigned middle = min(begin + run, n);
            const unsigned end = min(begin + 2 * run, n);
            const Runs runs = {begin, middle - begin, middle, end - middle};
            load_window<InOrder>(word, from, runs, at - begin, min(S::kWindow, end - at));
            clean_window(word, tile, out);
            to_striped(word, tile, out);
            if (2 * run >= n) {
                store_sorted_window(word, at + lane, end, type, old_values, keys, values);
            } else {
                store_window(word, to, at + lane, end);
            }
            __syncwarp();  // the window has been read before it is written again
        }
        Word* const other = from;
        from = to;
        to = other;
    }
}

/// One launch for n keys of more than one tile.
template <class S>
void merge_in_one_launch(Job<typename S::Word> job) {
    using Word = typename S::Word;
    if (job.n <= S::kTile) return sort_one_tile<S>(job);
    static const unsigned resident = [] {
        allow_shared(merge_best_grid_kernel<S>, S::kBytes);
        int per_sm = 0;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_sm, merge_best_grid_kernel<S>, static_cast<int>(S::kThreads), S::kBytes));
        return static_cast<unsigned>(per_sm * device_info().sm_count);
    }();
    unsigned n = static_cast<unsigned>(job.n);
    // The last level must not write the keys where it reads words, and with KeyWord the two share
    // their memory.
    const bool odd = levels_above(n, S::kTile) % 2 != 0;
    Word* from = odd ? job.spare : job.words;
    Word* to = odd ? job.words : job.spare;
    void* arguments[] = {&job.keys, &job.values, &n, &job.type, &from, &to, &job.old_values};
    // Cooperative: all blocks run at once, or none does. Who waits for the others needs that.
    CUDA_CHECK(cudaLaunchCooperativeKernel(merge_best_grid_kernel<S>,
                                           dim3(std::min(divide_up(n, S::kTile), resident)),
                                           dim3(S::kThreads), arguments, S::kBytes, nullptr));
}

// ---- Four runs at a time ---------------------------------------------------------------------

// merge_best: a block merges four runs at a time, in two rounds in shared memory; a warp merges a
// window of words in registers, by the bitonic network's half-cleaners.
// Removes: half of the sweeps over global memory; the serial merge, and its wait at each word.
// Remains: log2(n) levels of merges, ten comparisons a word each.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_kernel(const typename S::Word* from, typename S::Word* to, Groups groups,
                      const unsigned* cuts, bool last_sweep, KeyType type, std::uint32_t* keys) {
    using Word = typename S::Word;
    Word* tile = shared_tile<Word>();
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Pieces pieces(groups, cuts);
    const unsigned(&start)[kWays + 1] = pieces.start;
    const unsigned total = start[kWays];
    Word word[S::kKeys];
    load_pieces<S>(word, from, start, pieces.shift, out);
    // In order, without the free words of place(): these windows are only read, row by row.
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[out + i * kWarpSize + lane] = word[i];
    __syncthreads();  // loaded by other threads than will merge

    // The first round: runs 0 and 1 to the tile's first windows, runs 2 and 3 to the next ones.
    const unsigned begin_upper = (start[2] + S::kWindow - 1) / S::kWindow * S::kWindow;
    Runs runs = {0, start[1], start[1], start[2] - start[1]};
    unsigned at = out;
    if (out >= begin_upper) {
        runs = {start[2], start[3] - start[2], start[3], total - start[3]};
        at = out - begin_upper;
    }
    unsigned left = runs.count_a + runs.count_b - min(at, runs.count_a + runs.count_b);
    if (left > 0) load_window<InOrder>(word, tile, runs, at, min(S::kWindow, left));
    __syncthreads();  // all have read before a window is written
    if (left > 0) {
        clean_window(word, tile, out);
        store_blocked(word, tile, out);
    }
    __syncthreads();  // the windows are written before others read them

    // The second round.
    runs = {0, start[2], begin_upper, total - start[2]};
    left = total - min(out, total);
    if (left > 0) load_window<InTile<Word>>(word, tile, runs, out, min(S::kWindow, left));
    __syncthreads();  // all have read before a window is written
    if (left == 0) return;
    clean_window(word, tile, out);
    to_striped(word, tile, out);
    const unsigned first = pieces.before + out + lane;
    const unsigned end = pieces.before + total;
    if (last_sweep) {
        store_sorted_window(word, first, end, type, nullptr, keys, nullptr);
    } else {
        store_window(word, to, first, end);
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape.
template <class SortShape, class MergeShape>
void merge_four_at_a_time(Job<KeyWord> job) {
    static_assert(MergeShape::kWarps >= 4, "a window is left free for the pairs' ends");
    const unsigned n = static_cast<unsigned>(job.n);
    if (n <= SortShape::kTile) return sort_one_tile<SortShape>(job);
    // The words lie in the memory of the keys: the last sweep must not write where it reads.
    const bool odd = sweeps_above(n, SortShape::kTile) % 2 != 0;
    KeyWord* const from = odd ? job.spare : job.words;
    KeyWord* const to = odd ? job.words : job.spare;
    allow_shared(merge_best_tile_kernel<SortShape>, SortShape::kBytes);
    merge_best_tile_kernel<SortShape>
        <<<divide_up(n, SortShape::kTile), SortShape::kThreads, SortShape::kBytes>>>(
            job.keys, nullptr, n, job.type, from, nullptr);
    CUDA_CHECK_LAUNCH();
    unsigned* const cuts = static_cast<unsigned*>(job.scratch);
    allow_shared(merge_best_kernel<MergeShape>, MergeShape::kBytes);
    const auto merge = [&](const KeyWord* runs, KeyWord* merged, const Groups& groups,
                           unsigned blocks, bool is_last) {
        merge_best_kernel<MergeShape><<<blocks, MergeShape::kThreads, MergeShape::kBytes>>>(
            runs, merged, groups, cuts, is_last, job.type, job.keys);
    };
    merge_in_sweeps(from, to, n, SortShape::kTile, MergeShape::kTile - MergeShape::kWindow, cuts,
                    merge);
}

// ---- The best of them ------------------------------------------------------------------------

template <class Word>
void merge_best(Job<Word> job) {
    // A pair is twice as many bytes: half as many in a thread's registers, or in a block.
    using Tiny = std::conditional_t<kHasValue<Word>, Shape<Word, 4, 4>, Shape<Word, 8, 4>>;
    using Small = std::conditional_t<kHasValue<Word>, Shape<Word, 4, 8>, Shape<Word, 8, 8>>;
    using Middle = std::conditional_t<kHasValue<Word>, Shape<Word, 8, 8>, Shape<Word, 16, 8>>;
    using Large = std::conditional_t<kHasValue<Word>, Shape<Word, 16, 8>, Shape<Word, 32, 8>>;
    const std::size_t n = job.n;
    if (n <= Tiny::kTile) return sort_one_tile<Tiny>(job);
    if (n <= Small::kTile) return sort_one_tile<Small>(job);
    if (2 * n * sizeof(Word) <= device_info().l2_bytes) {
        // The least tile with which every multiprocessor has work, but no more than one tile.
        const std::size_t share = n / static_cast<std::size_t>(device_info().sm_count);
        if (share <= Small::kTile) return merge_in_one_launch<Small>(job);
        if (share <= Middle::kTile) return merge_in_one_launch<Middle>(job);
        return merge_in_one_launch<Large>(job);
    }
    using Tile = std::conditional_t<kHasValue<Word>, PairShape<17, 8>, Shape<Word, 32, 8>>;
    using Huge = std::conditional_t<kHasValue<Word>, PairShape<17, 16>, Shape<Word, 32, 16>>;
    using Merge = std::conditional_t<kHasValue<Word>, PairShape<23, 4>, Shape<Word, 32, 8>>;
    // Twice the tile, where that saves a sweep.
    if (sweeps_above(n, Huge::kTile) < sweeps_above(n, Tile::kTile)) {
        return merge_four_at_a_time<Huge, Merge>(job);
    }
    merge_four_at_a_time<Tile, Merge>(job);
}

}  // namespace tutorial
