// Merge sort and bitonic sort of N keys, alone or with a value each: the chapter's way from the
// odd-even sort of n half-steps to sorts beside the library's.
//
// Keys are ints, unsigned ints or floats (-0 before +0, NaN last). A key with a value is sorted
// stably. N is any number.
//
// You will learn: the work and the steps of an algorithm, the three regimes of merging, the merge
// path, sorting networks, and how few sweeps over the memory a sort can do with.
//
//   nvcc -std=c++17 -O3 -arch=native -I. ch05_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch05
//   cmake --build build/cuda --target ch05_merge_bitonic    (or build/cpu, where there is no GPU)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "experiment.hpp"
#include "library.cuh"
#include "merge_best.cuh"
#include "sample_best.cuh"
#include "shapes.hpp"
#include "words.cuh"

namespace {

using namespace tutorial;
using namespace sorting;

// ---- The reference ---------------------------------------------------------------------------

/// The standard library's stable sort, of the keys' orders: experiment.hpp checks every stage
/// against the same.
template <class Word>
void host(Job<Word> job) {
    std::vector<Pair> pairs(job.n);
    for (std::size_t i = 0; i < job.n; ++i) {
        pairs[i] = {kHasValue<Word> ? job.values[i] : 0,
                    ordered_int_of_bits(job.keys[i], job.type)};
    }
    std::stable_sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < job.n; ++i) {
        job.keys[i] = bits_of_ordered_int(pairs[i].order, job.type);
        if (kHasValue<Word>) job.values[i] = pairs[i].value;
    }
}

// ---- The starting point: the odd-even sort ---------------------------------------------------

// odd_even: the odd-even sort of chapter 1, a launch per half-step.
// Removes: nothing; it is what the other stages are compared with.
// Remains: n half-steps, each of which reads and writes all words in global memory.
template <class Word>
__global__ void odd_even_kernel(Word* words, unsigned n, unsigned first) {
    const unsigned i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) compare_exchange(words[i], words[i + 1]);
}

constexpr std::size_t kOddEvenMaxKeys = std::size_t{1} << 16;
constexpr unsigned kOddEvenThreads = 256;

template <class Word>
void odd_even(Job<Word> job) {
    pack(job);
    const unsigned n = static_cast<unsigned>(job.n);
    const unsigned blocks = divide_up(n / 2, kOddEvenThreads);
    for (unsigned step = 0; blocks > 0 && step < n; ++step) {
        odd_even_kernel<<<blocks, kOddEvenThreads>>>(job.words, n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

// ---- Merge sort: one thread a merge ----------------------------------------------------------

constexpr unsigned kMergeThreads = 256;

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

// merge_thread: every pair of neighbouring runs has a thread of its own, which merges it serially.
// Removes: the n half-steps of the odd-even sort; log2(n) levels are left.
// Remains: the fewer and longer the runs, the fewer threads work; each reads and writes far from
// its neighbours.
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

// ---- Merge sort: one block a merge -----------------------------------------------------------

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
// binary search in the other run.
// Removes: the serial merge; all words of a pair find their places at the same time.
// Remains: the last levels have few pairs, and so few blocks; log2(run) probes a word and level.
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

// ---- Merge sort: many blocks a merge ---------------------------------------------------------

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
// run; a block merges a piece, as merge_rank does, in shared memory.
// Removes: the limit of one block a pair; the long binary searches, but for one word in 256.
// Remains: pieces differ in size: from 1 to 512 words, 256 at the mean.
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

// ---- Merge sort: equal shares ----------------------------------------------------------------

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

// ---- Merge sort: the record ------------------------------------------------------------------

// merge_best stands in merge_best.cuh, for it is longer than all stages here, and bitonic_best and
// sample_best are built of its parts: what a thread, a warp and a block do with a window of words
// that a warp holds in registers. Its last function chooses, by n:
//
//   one tile    merge_best_tile_kernel: a block sorts the words
//   few words   merge_best_grid_kernel: tiles are sorted, and merged in pairs, all in one launch
//   many keys   merge_best_tile_kernel sorts tiles; then a sweep merges four runs, and again, until
//               there is one: merge_best_cuts_kernel cuts them, so that every block writes as many
//               keys, and merge_best_kernel merges a window a warp
//   many pairs  the same by sort_pairs_kernel and merge_pairs_kernel, for keys with values

// ---- Bitonic sort: one block -----------------------------------------------------------------

// The network (Batcher, 1968) has log2(n) levels; level i makes sorted runs of i words, i = 2, 4,
// 8... from sorted runs of i / 2, by steps of distance j. The first step compares each word of the
// lower run with its mirror image in the upper run: partner = position ^ (i - 1). It leaves two
// bitonic halves, which half-cleaners of distance j = i / 4 ... 1 sort: partner = position ^ j. The
// lesser word always goes to the lower position. So words past the end, were there any, would be
// the greatest and never move: n need not be a power of two, one just leaves out comparisons that
// have no partner. All of it works in place.

constexpr unsigned kBitonicThreads = 256;

/// The least power of two that is at least n.
constexpr std::size_t power_of_two(std::size_t n) {
    std::size_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/// The lower position of pair number `pair` among positions that differ in bit `distance`, a power
/// of two.
__host__ __device__ inline unsigned lower_of_pair(unsigned pair, unsigned distance) {
    return 2 * pair - (pair & (distance - 1));
}

/// One comparison of level i: that of pair number `pair`, at distance j; j == i / 2 is the level's
/// first step. Nothing where the partner would be past the end.
template <class Word>
__device__ void bitonic_compare(Word* words, unsigned n, unsigned pair, unsigned i, unsigned j) {
    const unsigned lower = lower_of_pair(pair, j);
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    if (upper < n) compare_exchange(words[lower], words[upper]);
}

constexpr unsigned kBitonicBlock = 4096;

// bitonic_block: one block sorts all words in shared memory, a barrier between the steps.
// Removes: the n half-steps of the odd-even sort; log2(n) (log2(n) + 1) / 2 steps are left.
// Remains: one multiprocessor, and no more words than its shared memory holds.
template <class Word>
__global__ void bitonic_block_kernel(Word* words, unsigned n) {
    __shared__ Word tile[kBitonicBlock];
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) tile[k] = words[k];
    __syncthreads();  // loaded by other threads than will compare them
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < n; pair += blockDim.x) {
                bitonic_compare(tile, n, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the words are stored
        }
    }
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) words[k] = tile[k];
}

template <class Word>
void bitonic_block(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    pack(job);
    if (n > 1) bitonic_block_kernel<<<1, 1024>>>(job.words, n);
    CUDA_CHECK_LAUNCH();
    unpack(job, job.words);
}

// ---- Bitonic sort: many blocks ---------------------------------------------------------------

// bitonic_global: a launch for each i and j, a thread for each pair.
// Removes: the limit of one block.
// Remains: every step reads and writes all words in global memory.
template <class Word>
__global__ void bitonic_global_kernel(Word* words, unsigned n, unsigned i, unsigned j) {
    bitonic_compare(words, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
}

template <class Word>
void bitonic_step(const Job<Word>& job, unsigned i, unsigned j) {
    const unsigned pairs = static_cast<unsigned>(power_of_two(job.n) / 2);
    bitonic_global_kernel<<<divide_up(pairs, kBitonicThreads), kBitonicThreads>>>(
        job.words, static_cast<unsigned>(job.n), i, j);
    CUDA_CHECK_LAUNCH();
}

template <class Word>
void bitonic_global(Job<Word> job) {
    pack(job);
    for (std::size_t i = 2; i < 2 * job.n; i *= 2) {
        for (std::size_t j = i / 2; j > 0; j /= 2) {
            bitonic_step(job, static_cast<unsigned>(i), static_cast<unsigned>(j));
        }
    }
    unpack(job, job.words);
}

// ---- Bitonic sort: steps fused in shared memory ----------------------------------------------

constexpr unsigned kBitonicTile = 2048;

// bitonic_shared: all steps of distance below the tile are done in shared memory, in one launch:
// levels first_i … last_i, from distance j of the first of them.
// Removes: the sweeps over global memory of these steps, which are most of all.
// Remains: a sweep for every step of greater distance; a barrier and two shared reads a step.
template <class Word>
__global__ void bitonic_shared_kernel(Word* words, unsigned n, unsigned first_i, unsigned last_i,
                                      unsigned j) {
    __shared__ Word tile[kBitonicTile];
    const unsigned begin = blockIdx.x * kBitonicTile;
    const unsigned count = min(kBitonicTile, n - begin);
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) tile[k] = words[begin + k];
    __syncthreads();  // loaded by other threads than will compare them
    for (unsigned i = first_i; i <= last_i; i *= 2) {
        for (; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < count; pair += blockDim.x) {
                bitonic_compare(tile, count, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the words are stored
        }
        j = i;
    }
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) words[begin + k] = tile[k];
}

/// Sorts the tiles; then, for each level above them, above(i) does the steps of distance
/// kBitonicTile and more, and the tiles do the rest.
template <class Word, class Above>
void bitonic_tiles(const Job<Word>& job, const Above& above) {
    const unsigned n = static_cast<unsigned>(job.n);
    pack(job);
    const unsigned tiles = divide_up(n, kBitonicTile);
    if (n > 1) {
        bitonic_shared_kernel<<<tiles, kBitonicTile / 2>>>(job.words, n, 2u, kBitonicTile, 1u);
        CUDA_CHECK_LAUNCH();
    }
    for (std::size_t wide = 2 * kBitonicTile; wide < 2 * job.n; wide *= 2) {
        const unsigned i = static_cast<unsigned>(wide);
        above(i);
        bitonic_shared_kernel<<<tiles, kBitonicTile / 2>>>(job.words, n, i, i, kBitonicTile / 2);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

template <class Word>
void bitonic_shared(Job<Word> job) {
    bitonic_tiles(job, [&](unsigned i) {
        for (unsigned j = i / 2; j >= kBitonicTile; j /= 2) bitonic_step(job, i, j);
    });
}

// ---- Bitonic sort: several steps a pass ------------------------------------------------------

// bitonic_registers: a thread loads the 2^s words that s steps of a level compare with one another,
// does these steps in registers, and stores the words.
// Removes: s - 1 of s sweeps over global memory.
// Remains: the steps in shared memory, with a barrier each; a sweep for every s steps.
template <class Word, int kSteps>
__global__ void bitonic_registers_kernel(Word* words, unsigned n, unsigned i, unsigned least_j) {
    constexpr unsigned kWords = 1u << kSteps;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned low = thread & (least_j - 1);
    const unsigned begin = (thread - low) * kWords;
    // In a level's first step the upper half is the mirror image of the lower one.
    const unsigned upper_low = least_j * kWords == i ? least_j - 1 - low : low;
    Word word[kWords];
#pragma unroll
    for (unsigned k = 0; k < kWords; ++k) {
        const unsigned at = begin + k * least_j + (k < kWords / 2 ? low : upper_low);
        word[k] = at < n ? words[at] : kLast<Word>;
    }
    if (least_j * kWords == i) {
#pragma unroll
        for (unsigned k = 0; k < kWords / 2; ++k) compare_exchange(word[k], word[kWords - 1 - k]);
    } else {
#pragma unroll
        for (unsigned k = 0; k < kWords / 2; ++k) compare_exchange(word[k], word[k + kWords / 2]);
    }
#pragma unroll
    for (unsigned distance = kWords / 4; distance > 0; distance /= 2) {
#pragma unroll
        for (unsigned k = 0; k < kWords; ++k) {
            if ((k & distance) == 0) compare_exchange(word[k], word[k + distance]);
        }
    }
#pragma unroll
    for (unsigned k = 0; k < kWords; ++k) {
        const unsigned at = begin + k * least_j + (k < kWords / 2 ? low : upper_low);
        if (at < n) words[at] = word[k];
    }
}

template <int kSteps, class Word>
void bitonic_steps(const Job<Word>& job, unsigned i, unsigned least_j) {
    const std::size_t threads = power_of_two(job.n) >> kSteps;
    bitonic_registers_kernel<Word, kSteps>
        <<<divide_up(threads, kBitonicThreads),
           static_cast<unsigned>(std::min<std::size_t>(threads, kBitonicThreads))>>>(
            job.words, static_cast<unsigned>(job.n), i, least_j);
    CUDA_CHECK_LAUNCH();
}

/// The steps of level i whose distance is at least `tile`, at most kMax of them in a pass, and as
/// evenly as can be.
template <int kMax, class Word>
void bitonic_passes(const Job<Word>& job, unsigned i, unsigned tile) {
    int left = 0;
    for (unsigned j = i / 2; j >= tile; j /= 2) ++left;
    for (unsigned above = i; left > 0;) {
        const int passes = (left + kMax - 1) / kMax;
        const int steps = (left + passes - 1) / passes;
        above >>= steps;
        switch (steps) {
            case 1:
                bitonic_steps<1>(job, i, above);
                break;
            case 2:
                bitonic_steps<2>(job, i, above);
                break;
            case 3:
                bitonic_steps<3>(job, i, above);
                break;
            case 4:
                if constexpr (kMax >= 4) bitonic_steps<4>(job, i, above);
                break;
            default:
                if constexpr (kMax >= 5) bitonic_steps<5>(job, i, above);
                break;
        }
        left -= steps;
    }
}

template <class Word>
void bitonic_registers(Job<Word> job) {
    bitonic_tiles(job, [&](unsigned i) { bitonic_passes<3>(job, i, kBitonicTile); });
}

// ---- Bitonic sort: all steps between registers ------------------------------------------------

// Windows, tiles and their ways through shared memory are those of merge_best.

/// Half-cleaners of distance from `most` down to 1 between the registers of a thread.
template <int kKeys, class Word>
__device__ void clean_registers_below(Word (&word)[kKeys], unsigned most) {
#pragma unroll
    for (unsigned distance = kKeys / 2; distance > 0; distance /= 2) {
        if (distance <= most) {
#pragma unroll
            for (unsigned i = 0; i < kKeys; ++i) {
                if ((i & distance) == 0) compare_exchange(word[i], word[i + distance]);
            }
        }
    }
}

/// Half-cleaners of all distances below the tile; words before them a block's threads apart in the
/// registers, those of distance up to most * S::kThreads are still to be done. Blocked afterwards.
template <class S>
__device__ void clean_tile(typename S::Word (&word)[S::kKeys], typename S::Word* tile,
                           unsigned most) {
    using Word = typename S::Word;
    static_assert(S::kThreads <= S::kWindow, "a window takes over where registers end");
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    clean_registers_below(word, most);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i)
        tile[place<Word>(i * S::kThreads + threadIdx.x)] = word[i];
    __syncthreads();  // written by other warps than will read
    load_striped(word, tile, out);
    clean_window(word, tile, out);
}

// bitonic_best: a tile's steps are done in registers, in three parts: words a block's threads
// apart, words a warp apart, neighbours; shared memory only carries words from part to part.
// Removes: all barriers but two a level, and all shared reads and writes but four a word and level.
// Remains: log2(n) (log2(n) + 1) / 2 steps, where merge_best has log2(n) levels of ten.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    bitonic_best_kernel(typename S::Word* words, unsigned n, bool sort) {
    using Word = typename S::Word;
    Word* tile = shared_tile<Word>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned begin = blockIdx.x * S::kTile;
    Word word[S::kKeys];
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + i * S::kThreads + threadIdx.x;
        word[i] = at < n ? words[at] : kLast<Word>;
    }
    if (sort) {
        sort_warp(word, tile, out);
#pragma unroll 1
        for (unsigned run = S::kWindow; run < S::kTile; run *= 2) {
            store_blocked(word, tile, out);
            __syncthreads();  // the windows are written before others read them
#pragma unroll
            for (unsigned i = 0; i < S::kKeys; ++i) {
                const unsigned at = i * S::kThreads + threadIdx.x;
                word[i] = tile[place<Word>((at & run) == 0 ? at : at ^ (run - 1))];
            }
            __syncthreads();  // all have read before the tile is written again
            clean_tile<S>(word, tile, run / S::kThreads);
        }
    } else {
        clean_tile<S>(word, tile, S::kKeys);
    }
    to_striped(word, tile, out);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + out + i * kWarpSize + threadIdx.x % kWarpSize;
        if (at < n) words[at] = word[i];
    }
}

/// Sorts tiles of this shape; then, for each level i above them, the steps of great distance are
/// passes as in bitonic_registers, of up to five steps, and the tiles do the rest.
template <class S>
void bitonic_with_shape(const Job<typename S::Word>& job) {
    const unsigned n = static_cast<unsigned>(job.n);
    if (n == 0) return;
    pack(job);
    const unsigned tiles = divide_up(n, S::kTile);
    allow_shared(bitonic_best_kernel<S>, S::kBytes);
    bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(job.words, n, true);
    CUDA_CHECK_LAUNCH();
    for (std::size_t i = 2 * S::kTile; i < 2 * job.n; i *= 2) {
        bitonic_passes<5>(job, static_cast<unsigned>(i), S::kTile);
        bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(job.words, n, false);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

/// In the shape that is best for so many words.
template <class Word>
void bitonic_best(Job<Word> job) {
    using Small = Shape<Word, 8, 8>;
    if (job.n <= Small::kTile) return bitonic_with_shape<Small>(job);
    with_shapes<Word>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        if (job.n <= (std::size_t{1} << 20)) {
            bitonic_with_shape<typename Shapes::BitonicMiddle>(job);
        } else {
            bitonic_with_shape<typename Shapes::BitonicLarge>(job);
        }
    });
}

// ---- Sample sort -----------------------------------------------------------------------------

// The record of all, sample_best, does not grow out of the stages above: it cuts the keys into
// buckets first, and sorts after that. Nothing is merged, and so every key is moved twice, whatever
// n is. Of the stages here it takes the windows of merge_best, to sort a bucket.
//
//   sample_buckets.cuh         where to cut; a pass, which counts and moves; the sort of a bucket
//   sample_in_one_launch.cuh   the same for few keys: in a launch, each step behind a meeting
//   sample_best.cuh            which of them, at which n
//
// In the order of their launches, for many keys:
//
//   sample_kernel, splitters_kernel   a sample, which merge_best sorts; where it cuts
//   count_buckets_kernel              how many keys of each tile go to each of the first buckets
//   begin_tiles_kernel                where the buckets begin
//   move_to_buckets_kernel            every key goes to its bucket
//   count_buckets_kernel, begin_last_kernel, move_to_buckets_kernel
//                                     the same within each bucket
//   sort_buckets_kernel               a block sorts a bucket
//
// For few keys sample_grid_kernel is all of it.

// ---- The table -------------------------------------------------------------------------------

template <class Word>
const std::vector<Stage<Launch<Word>>>& stages() {
    using Table = std::vector<Stage<Launch<Word>>>;
    static const Table table = [] {
        Table rows = {
            {{"host",
              "host: std::stable_sort",
              RowKind::host,
              {std::size_t{1} << 24, "more would take many seconds"}},
             host<Word>},
            {{"odd_even",
              "the odd-even sort of chapter 1: n half-steps",
              RowKind::stage,
              {kOddEvenMaxKeys, "n launches would take many seconds"}},
             odd_even<Word>},
            {{"merge_thread",
              "many tiny merges: one thread each",
              RowKind::stage,
              {kMergeThreadMaxKeys, "at last one thread merges all keys"}},
             merge_thread<Word>},
            {{"merge_rank",
              "fewer, larger merges: one block each, every key looks up its place",
              RowKind::stage,
              {kMergeRankMaxKeys, "at last one block merges all keys"}},
             merge_rank<Word>},
            {{"merge_split", "few huge merges: splitters cut them into pieces, a block each"},
             merge_split<Word>},
            {{"merge_path", "equal pieces, a serial merge of 8 keys per thread"}, merge_path<Word>},
            {{"merge_best", "four runs a sweep, a warp's window merged in registers"},
             merge_best<Word>},
            {{"bitonic_block",
              "one block, keys in shared memory",
              RowKind::stage,
              {kBitonicBlock, "one block holds no more in shared memory"}},
             bitonic_block<Word>},
            {{"bitonic_global", "a launch for each i and j"}, bitonic_global<Word>},
            {{"bitonic_shared", "steps of small distance fused in shared memory"},
             bitonic_shared<Word>},
            {{"bitonic_registers", "three steps of great distance a pass, in registers"},
             bitonic_registers<Word>},
            {{"bitonic_best", "all steps in registers, five a pass"}, bitonic_best<Word>},
        };
        if constexpr (!kHasValue<Word>) {
            rows.push_back({{"sample_best", "a sample cuts keys into buckets, a block sorts each"},
                            sample_best});
        }
#if defined(__CUDACC__)
        const Table library = {
            {{"cub_merge", "cub::DeviceMergeSort", RowKind::library}, cub_merge<Word>},
            {{"cub_radix", "cub::DeviceRadixSort; floats with NaN or -0 converted before and after",
              RowKind::library},
             cub_radix<Word>},
            {{"thrust", "thrust::sort: radix for ints; allocates its memory itself",
              RowKind::library},
             thrust_sort<Word>},
        };
        rows.insert(rows.end(), library.begin(), library.end());
#endif
        return rows;
    }();
    return table;
}

template <class Key>
std::unique_ptr<Experiment> experiment(bool values) {
    if (values) return std::make_unique<SortExperiment<Key, PairWord>>(stages<PairWord>());
    return std::make_unique<SortExperiment<Key, KeyWord>>(stages<KeyWord>());
}

}  // namespace

int main(int argc, char** argv) {
    std::string type = "int";
    bool values = false;
    Chapter chapter("ch05_merge_bitonic", "merge sort and bitonic sort", "key");
    chapter.sizes(std::size_t{1} << 24, 4000, kMaxKeys, std::size_t{1} << 18)
        .choice("--type", "type of the keys", {"int", "unsigned", "float"}, type)
        .flag("--values", "sort a 32-bit value with each key, stably", values);
    return chapter.run(argc, argv, [&](const Options&) {
        if (type == "float") return experiment<float>(values);
        if (type == "unsigned") return experiment<unsigned>(values);
        return experiment<int>(values);
    });
}
