// Merge sort in its three regimes, and the balanced form of the third.
#pragma once

#include <algorithm>
#include <utility>

#include "words.cuh"

namespace tutorial {

constexpr unsigned kMergeThreads = 256;

/// How often runs of `run` words must be merged in pairs until there is one.
inline int levels_above(std::size_t n, std::size_t run) {
    int levels = 0;
    for (; run < n; run *= 2) ++levels;
    return levels;
}

/// Merges runs of `run` words, then of twice as many, ... back and forth between the two buffers:
/// merge(from, to, run) does one level. The runs lie in `from`; returns where the result is.
template <class Word, class Merge>
Word* merge_levels(Word* from, Word* to, std::size_t n, std::size_t run, const Merge& merge) {
    for (; run < n; run *= 2) {
        merge(from, to, static_cast<unsigned>(run));
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return from;
}

// ---- One thread a merge ----------------------------------------------------------------------

// merge_thread: every pair of neighbouring runs has a thread of its own, which merges them
// serially. Removes: the n half-steps of the odd-even sort; log2(n) levels are left. Remains: the
// fewer and longer the runs, the fewer threads work; each reads and writes far from its neighbours.
template <class Word>
__global__ void merge_thread_kernel(const Word* from, Word* to, unsigned n, unsigned run) {
    const unsigned begin = 2 * run * (blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    unsigned a = begin, b = middle;
    for (unsigned i = begin; i < end; ++i) {
        const bool take_a = a < middle && (b == end || !(from[b] < from[a]));
        to[i] = from[take_a ? a++ : b++];
    }
}

constexpr std::size_t kMergeThreadMaxKeys = std::size_t{1} << 18;

template <class Word>
void merge_thread(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    pack(job);
    const Word* sorted =
        merge_levels(job.words, job.spare, job.n, 1, [&](const Word* from, Word* to, unsigned run) {
            const unsigned merges = divide_up(n, 2 * std::size_t{run});
            merge_thread_kernel<<<divide_up(merges, kMergeThreads), kMergeThreads>>>(from, to, n,
                                                                                     run);
        });
    unpack(job, sorted);
}

// ---- One block a merge -----------------------------------------------------------------------

/// How many of run[0..count) come before `word`. With words that are equal to it, or without.
template <bool kWithEqual, class Word>
__host__ __device__ unsigned rank_in(const Word* run, unsigned count, Word word) {
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = kWithEqual ? !(word < run[middle]) : run[middle] < word;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Where word i belongs when from[begin..middle) and from[middle..end) are merged: its own index in
/// its run, and its rank in the other. Equal words keep their order: those of the first run come
/// first.
template <class Word>
__device__ unsigned merged_place(const Word* from, unsigned begin, unsigned middle, unsigned end,
                                 unsigned i) {
    const Word word = from[i];
    if (i < middle) return i + rank_in<false>(from + middle, end - middle, word);
    return begin + (i - middle) + rank_in<true>(from + begin, middle - begin, word);
}

constexpr unsigned kRankTile = 1024;

/// Sorts tiles of kRankTile words, a block each: all levels of merge_rank that fit into shared
/// memory.
template <class Word>
__global__ void merge_rank_tile_kernel(const Word* from, Word* to, unsigned n) {
    __shared__ Word buffers[2][kRankTile];
    const unsigned first = blockIdx.x * kRankTile;
    const unsigned count = min(kRankTile, n - first);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) buffers[0][i] = from[first + i];
    __syncthreads();  // loaded by other threads than will merge them
    Word* source = buffers[0];
    Word* target = buffers[1];
    for (unsigned run = 1; run < count; run *= 2) {
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            const unsigned begin = i / (2 * run) * (2 * run);
            const unsigned middle = min(begin + run, count);
            const unsigned end = min(begin + 2 * run, count);
            target[merged_place(source, begin, middle, end, i)] = source[i];
        }
        __syncthreads();  // between the levels, and before the words are stored
        Word* const other = source;
        source = target;
        target = other;
    }
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[first + i] = source[i];
}

// merge_rank: a block merges a pair of runs; each word finds its place by its own index and a
// binary search in the other run. Small runs are merged in shared memory. Removes: the serial
// merge; all words of a pair find their places at the same time. Remains: the last levels have few
// pairs, and so few blocks; log2(run) probes a word and level.
template <class Word>
__global__ void merge_rank_kernel(const Word* from, Word* to, unsigned n, unsigned run) {
    const unsigned begin = blockIdx.x * 2 * run;
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x) {
        to[merged_place(from, begin, middle, end, i)] = from[i];
    }
}

constexpr std::size_t kMergeRankMaxKeys = std::size_t{1} << 22;
constexpr unsigned kRankThreads = 1024;

/// Tiles of kRankTile words, sorted, in that buffer from which so many levels of merges lead to
/// job.words.
template <class Word>
Word* sort_rank_tiles(const Job<Word>& job, int levels) {
    pack(job);
    Word* tiles = levels % 2 == 0 ? job.words : job.spare;
    if (job.n == 0) return tiles;
    merge_rank_tile_kernel<<<divide_up(job.n, kRankTile), kMergeThreads>>>(
        job.words, tiles, static_cast<unsigned>(job.n));
    CUDA_CHECK_LAUNCH();
    return tiles;
}

/// A merge sort whose runs begin as sorted tiles.
template <class Word, class Merge>
void merge_tiles(const Job<Word>& job, const Merge& merge) {
    Word* tiles = sort_rank_tiles(job, levels_above(job.n, kRankTile));
    Word* other = tiles == job.words ? job.spare : job.words;
    unpack(job, merge_levels(tiles, other, job.n, kRankTile, merge));
}

template <class Word>
void merge_rank(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    merge_tiles(job, [&](const Word* from, Word* to, unsigned run) {
        merge_rank_kernel<<<divide_up(n, 2 * std::size_t{run}), kRankThreads>>>(from, to, n, run);
    });
}

// ---- Many blocks a merge ---------------------------------------------------------------------

constexpr unsigned kSplitEvery = 256;

/// Each run's words 0, 256, 512, ... are its splitters. A thread a splitter: finds where the
/// splitter would be in the other run, and so which splitter of the pair it is. cuts[that] says
/// where the piece that begins with it begins in either run.
template <class Word>
__global__ void merge_split_cuts_kernel(const Word* from, unsigned n, unsigned run, uint2* cuts) {
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * kSplitEvery;
    if (i >= n) return;
    const unsigned begin = i / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    uint2 cut;
    if (i < middle) {
        cut = make_uint2(i, middle + rank_in<false>(from + middle, end - middle, from[i]));
    } else {
        cut = make_uint2(begin + rank_in<true>(from + begin, middle - begin, from[i]), i);
    }
    const unsigned splitters_before = (cut.x - begin + kSplitEvery - 1) / kSplitEvery +
                                      (cut.y - middle + kSplitEvery - 1) / kSplitEvery;
    cuts[begin / kSplitEvery + splitters_before] = cut;
}

// merge_split: the splitters of a pair cut its merge into pieces of at most 256 words of either
// run; a block merges a piece, as merge_rank does, in shared memory. Removes: the limit of one
// block a pair; the long binary searches, but for one word in 256. Remains: pieces differ in size:
// from 1 to 512 words, 256 at the mean.
template <class Word>
__global__ void merge_split_kernel(const Word* from, Word* to, unsigned n, unsigned run,
                                   const uint2* cuts) {
    __shared__ Word piece[2 * kSplitEvery];
    const unsigned begin = blockIdx.x * kSplitEvery / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    const uint2 first = cuts[blockIdx.x];
    uint2 last = make_uint2(middle, end);
    const bool is_last = (blockIdx.x + 1) * kSplitEvery >= end;
    if (!is_last) last = cuts[blockIdx.x + 1];
    const unsigned from_a = last.x - first.x;
    const unsigned count = from_a + last.y - first.y;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        piece[i] = from[i < from_a ? first.x + i : first.y + (i - from_a)];
    }
    __syncthreads();  // loaded by other threads than will search
    Word* target = to + first.x + (first.y - middle);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        target[merged_place(piece, 0, from_a, count, i)] = piece[i];
    }
}

template <class Word>
void merge_split(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    const unsigned pieces = divide_up(n, kSplitEvery);
    uint2* cuts = static_cast<uint2*>(job.scratch);
    merge_tiles(job, [&](const Word* from, Word* to, unsigned run) {
        merge_split_cuts_kernel<<<divide_up(pieces, kMergeThreads), kMergeThreads>>>(from, n, run,
                                                                                     cuts);
        CUDA_CHECK_LAUNCH();
        merge_split_kernel<<<pieces, kMergeThreads>>>(from, to, n, run, cuts);
    });
}

// ---- Equal shares ----------------------------------------------------------------------------

/// How many of the first `diagonal` words of the merge of a[0..count_a) and b[0..count_b) come from
/// a: where the merge path crosses that diagonal (Odeh, Green, Mwassi, Shmueli, Birk, 2012).
template <class Word>
__host__ __device__ unsigned merge_path_cut(const Word* a, unsigned count_a, const Word* b,
                                            unsigned count_b, unsigned diagonal) {
    unsigned low = diagonal < count_b ? 0 : diagonal - count_b;
    unsigned high = diagonal < count_a ? diagonal : count_a;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (b[diagonal - 1 - middle] < a[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

constexpr unsigned kPathKeys = 8;  // a thread
constexpr unsigned kPathTile = kMergeThreads * kPathKeys;

// merge_path: every block writes 2048 words, every thread 8, whatever the data; a binary search
// along a diagonal finds where in the two runs a share begins.
// Removes: pieces of different size; the binary search of every word, one a thread is left.
// Remains: one sweep over the memory a level; a serial merge waits for shared memory at each word.
template <class Word>
__global__ void merge_path_kernel(const Word* from, Word* to, unsigned n, unsigned run) {
    __shared__ Word tile[kPathTile];
    __shared__ unsigned cuts[2];
    const unsigned out = blockIdx.x * kPathTile;
    const unsigned begin = out / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    const unsigned count = min(kPathTile, end - out);
    if (threadIdx.x % kWarpSize == 0 && threadIdx.x < 2 * kWarpSize) {
        const unsigned which = threadIdx.x / kWarpSize;
        cuts[which] = merge_path_cut(from + begin, middle - begin, from + middle, end - middle,
                                     out - begin + which * count);
    }
    __syncthreads();  // two threads have searched for all
    const unsigned count_a = cuts[1] - cuts[0];
    const unsigned count_b = count - count_a;
    const Word* from_a = from + begin + cuts[0];
    const Word* from_b = from + middle + (out - begin - cuts[0]);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        tile[i] = i < count_a ? from_a[i] : from_b[i - count_a];
    }
    __syncthreads();  // loaded by other threads than will merge
    const unsigned diagonal = min(threadIdx.x * kPathKeys, count);
    const Word* tile_b = tile + count_a;
    unsigned a = merge_path_cut(tile, count_a, tile_b, count_b, diagonal);
    unsigned b = diagonal - a;
    Word merged[kPathKeys];
#pragma unroll
    for (unsigned i = 0; i < kPathKeys; ++i) {
        const bool take_a = a < count_a && (b >= count_b || !(tile_b[b] < tile[a]));
        if (diagonal + i < count) merged[i] = take_a ? tile[a++] : tile_b[b++];
    }
    __syncthreads();  // all have read the tile before it is written
#pragma unroll
    for (unsigned i = 0; i < kPathKeys; ++i) {
        if (diagonal + i < count) tile[diagonal + i] = merged[i];
    }
    __syncthreads();  // the tile is whole before it is stored
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[out + i] = tile[i];
}

template <class Word>
void merge_path(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    static_assert(kPathTile == 2 * kRankTile, "a block's share must lie within one pair of runs");
    merge_tiles(job, [&](const Word* from, Word* to, unsigned run) {
        merge_path_kernel<<<divide_up(n, kPathTile), kMergeThreads>>>(from, to, n, run);
    });
}

}  // namespace tutorial
