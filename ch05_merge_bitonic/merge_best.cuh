// merge_best, the record among the merge sorts: windows merged in registers, four runs a sweep, or
// all levels in one launch.
//
//   registers, windows, tiles    what a thread, a warp and a block do; bitonic_best uses it too
//   one block, one launch        for few keys
//   four runs at a time          for many keys; keys with values: the same, merged serially
//   merge_best                   which of them, at which n
//
// A *window* is what a warp holds: kKeys words a thread. It is held *striped* when word
// r * 32 + lane is in register r of that lane, and *blocked* when word lane * kKeys + r is.
// Registers must be numbered by constants, so all loops over them are unrolled.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "../common/harness/cooperative_launch.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/launch_bounds.hpp"
#include "bulk_copy.cuh"
#include "shapes.hpp"
#include "words.cuh"

namespace sorting {

// ---- A thread's registers, and a warp's ------------------------------------------------------

/// Half-cleaners between a thread's registers, of distance kFrom (0: kKeys / 2), then half of that,
/// ... 1.
template <int kFrom = 0, int kKeys, class Word>
__device__ void clean_registers(Word (&word)[kKeys]) {
#pragma unroll
    for (int distance = kFrom > 0 ? kFrom : kKeys / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if ((i & distance) == 0) compare_exchange(word[i], word[i + distance], i % 2 != 0);
        }
    }
}

/// Sorts a thread's registers: the odd-even merge sort (Batcher, 1968), which needs fewer
/// comparisons than the bitonic sort; any number of them. This is its step of distance kDistance on
/// the way from sorted runs of kRun to runs twice as long, and all that follow.
template <int kRun = 1, int kDistance = 1, int kKeys, class Word>
__device__ void sort_registers(Word (&word)[kKeys]) {
    constexpr int kFirst = kDistance % kRun;
#pragma unroll
    for (int i = kFirst; i + kDistance < kKeys; ++i) {
        const bool is_lower = (i - kFirst) % (2 * kDistance) < kDistance;
        const bool in_one_run = i / (2 * kRun) == (i + kDistance) / (2 * kRun);
        if (is_lower && in_one_run) {
            compare_exchange(word[i], word[i + kDistance], i % 2 != 0);
        }
    }
    if constexpr (kDistance > 1) {
        sort_registers<kRun, kDistance / 2>(word);
    } else if constexpr (2 * kRun < kKeys) {
        sort_registers<2 * kRun, 2 * kRun>(word);
    }
}

/// Keeps the lesser of the two words in the lower lane, the greater in the upper one.
template <class Word>
__device__ Word keep(Word mine, Word other, bool lower) {
    return (mine < other) == lower ? mine : other;
}

/// Half-cleaners between lanes `distance`, then `distance` / 2, ... 1 apart; blocked.
template <int kKeys, class Word>
__device__ void clean_lanes(Word (&word)[kKeys], int distance) {
#pragma unroll 1
    for (; distance > 0; distance /= 2) {
        const bool lower = (threadIdx.x & distance) == 0;
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            word[i] = keep(word[i], __shfl_xor_sync(kFullMask, word[i], distance), lower);
        }
    }
}

// ---- Windows in shared memory ----------------------------------------------------------------

/// Words in a row of the banks, 128 bytes.
template <class Word>
constexpr unsigned kRow = 128 / sizeof(Word);

/// Words in a vector of 16 bytes, the most that a thread reads or writes at once.
template <class Word>
constexpr unsigned kInVector = 16 / sizeof(Word);

/// Where word i of a tile lies in shared memory: one vector is left free after each row, so that
/// eight threads in a row find the vectors of their blocks of kKeys words in different banks.
template <class Word>
__host__ __device__ constexpr unsigned place(unsigned i) {
    return i + i / kRow<Word> * kInVector<Word>;
}

/// Bytes of shared memory for a tile of so many words.
template <class Word>
constexpr std::size_t tile_bytes(unsigned words) {
    return sizeof(Word) * place<Word>(words);
}

/// Word i of the blocked, or striped, window that begins at `begin`, a multiple of the window: the
/// thread's place in the tile, and how far from there.
template <int kKeys, class Word>
__device__ unsigned blocked_place(unsigned begin) {
    return place<Word>(begin + threadIdx.x % kWarpSize * kKeys);
}
template <class Word>
__device__ unsigned striped_place(unsigned begin) {
    return place<Word>(begin + threadIdx.x % kWarpSize);
}
template <class Word>
constexpr unsigned kStripe = place<Word>(kWarpSize);

/// Words as one vector, in one read or write.
__device__ inline void store_vector(const KeyWord* word, KeyWord* to) {
    *reinterpret_cast<int4*>(to) = make_int4(word[0], word[1], word[2], word[3]);
}
__device__ inline void store_vector(const PairWord* word, PairWord* to) {
    *reinterpret_cast<longlong2*>(to) = make_longlong2(word[0], word[1]);
}
__device__ inline void load_vector(KeyWord* word, const KeyWord* from) {
    const int4 vector = *reinterpret_cast<const int4*>(from);
    word[0] = vector.x;
    word[1] = vector.y;
    word[2] = vector.z;
    word[3] = vector.w;
}
__device__ inline void load_vector(PairWord* word, const PairWord* from) {
    const longlong2 vector = *reinterpret_cast<const longlong2*>(from);
    word[0] = vector.x;
    word[1] = vector.y;
}

template <int kKeys, class Word>
__device__ void store_blocked(const Word (&word)[kKeys], Word* tile, unsigned begin) {
    Word* const block = tile + blocked_place<kKeys, Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; i += kInVector<Word>) {
        store_vector(word + i, block + place<Word>(i));
    }
}

template <int kKeys, class Word>
__device__ void load_blocked(Word (&word)[kKeys], const Word* tile, unsigned begin) {
    const Word* const block = tile + blocked_place<kKeys, Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; i += kInVector<Word>) {
        load_vector(word + i, block + place<Word>(i));
    }
}

template <int kKeys, class Word>
__device__ void store_striped(const Word (&word)[kKeys], Word* tile, unsigned begin) {
    Word* const first = tile + striped_place<Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) first[i * kStripe<Word>] = word[i];
}

template <int kKeys, class Word>
__device__ void load_striped(Word (&word)[kKeys], const Word* tile, unsigned begin) {
    const Word* const first = tile + striped_place<Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) word[i] = first[i * kStripe<Word>];
}

/// Sorts a bitonic window: striped before, blocked after. Half-cleaners whose distance is 32 or
/// more pair registers of a striped window, those below kKeys pair registers of a blocked one. The
/// warp uses the window of `tile` that begins at `begin` to get from one to the other; nobody else
/// may use it meanwhile. kFrom: as for clean_registers(), where there are several sequences.
template <int kFrom = 0, int kKeys, class Word>
__device__ void clean_window(Word (&word)[kKeys], Word* tile, unsigned begin) {
    clean_registers<kFrom>(word);
    store_striped(word, tile, begin);
    __syncwarp();  // written by other lanes than will read
    load_blocked(word, tile, begin);
    __syncwarp();  // all have read before the window is written again
    clean_lanes(word, kWarpSize / 2 / kKeys);
    clean_registers(word);
}

/// From blocked to striped, through the window of `tile` at `begin`, as above.
template <int kKeys, class Word>
__device__ void to_striped(Word (&word)[kKeys], Word* tile, unsigned begin) {
    store_blocked(word, tile, begin);
    __syncwarp();  // written by other lanes than will read
    load_striped(word, tile, begin);
}

// ---- A warp sorts a window -------------------------------------------------------------------

/// The bitonic network's level that merges runs of kLanes / 2 lanes, by shuffles: the first step
/// compares each word of the lower run with its mirror image in the upper one. Blocked.
template <int kLanes, int kKeys, class Word>
__device__ void merge_by_shuffles(Word (&word)[kKeys]) {
    const bool lower = (threadIdx.x & (kLanes / 2)) == 0;
#pragma unroll
    for (int i = 0; i < kKeys / 2; ++i) {
        const int mirror = kKeys - 1 - i;
        const Word to_first = __shfl_xor_sync(kFullMask, word[mirror], kLanes - 1);
        const Word to_mirror = __shfl_xor_sync(kFullMask, word[i], kLanes - 1);
        word[i] = keep(word[i], to_first, lower);
        word[mirror] = keep(word[mirror], to_mirror, lower);
    }
    clean_lanes(word, kLanes / 4);
    clean_registers(word);
}

/// The same level through the window of `tile` at `begin`: the upper runs are read backwards, the
/// steps of distance 32 and more pair registers of a striped window, the others those of a blocked
/// one.
template <int kLanes, int kKeys, class Word>
__device__ void merge_by_window(Word (&word)[kKeys], Word* tile, unsigned begin) {
    constexpr unsigned kRunRows = kKeys * kLanes / 2 / kWarpSize;  // a run, in rows of 32 words
    const unsigned lane = threadIdx.x % kWarpSize;
    store_blocked(word, tile, begin);
    __syncwarp();  // written by other lanes than will read
    const Word* const forwards = tile + place<Word>(begin + lane);
    const Word* const backwards = tile + place<Word>(begin + kWarpSize - 1 - lane);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        word[i] = (i & kRunRows) == 0 ? forwards[i * kStripe<Word>]
                                      : backwards[(i ^ (kRunRows - 1)) * kStripe<Word>];
    }
    __syncwarp();  // all have read before the window is written again
    clean_window<kRunRows>(word, tile, begin);
}

/// Sorts a warp's words; blocked. Each thread sorts its own, then runs of 2, 4, ... 32 lanes are
/// merged. The warp uses the window of `tile` at `begin`.
template <int kLanes = 1, int kKeys, class Word>
__device__ void sort_warp(Word (&word)[kKeys], Word* tile, unsigned begin) {
    if constexpr (kLanes == 1) {
        sort_registers(word);
    } else if constexpr (kLanes <= 4 || kKeys * kLanes < 2 * kWarpSize) {
        merge_by_shuffles<kLanes>(word);
    } else {
        merge_by_window<kLanes>(word, tile, begin);
    }
    if constexpr (kLanes < kWarpSize) sort_warp<2 * kLanes>(word, tile, begin);
}

// ---- What a block works on -------------------------------------------------------------------

/// A block's shape: kWarps windows of 32 * kKeys words, a tile of kTile words.
template <class WordType, int kKeysPerThread, int kWarpsPerBlock>
struct Shape {
    using Word = WordType;
    static constexpr int kKeys = kKeysPerThread;
    static constexpr unsigned kWarps = kWarpsPerBlock;
    static constexpr unsigned kThreads = kWarps * kWarpSize;
    static constexpr unsigned kWindow = kKeys * kWarpSize;
    static constexpr unsigned kTile = kWarps * kWindow;
    static constexpr std::size_t kBytes = tile_bytes<Word>(kTile);
    /// Registers for all words of a thread and about as many beside them.
    static constexpr unsigned kByRegisters = 65536 / kThreads / (kKeys * sizeof(Word) / 4 + 32);
    static constexpr unsigned kBlocks = kByRegisters > 0
                                            ? tutorial::blocks_bound(kByRegisters, kThreads)
                                            : 1;
};

/// The block's tile: kBytes of dynamic shared memory.
template <class Word>
__device__ Word* shared_tile() {
    extern __shared__ int4 shared_vectors[];  // aligned for any word, and for vectors
    return reinterpret_cast<Word*>(shared_vectors);
}

// ---- A warp merges a window ------------------------------------------------------------------

/// Two sorted runs of one array, at positions a and b.
struct Runs {
    unsigned a, count_a, b, count_b;
};

/// How an array's words lie: in a tile in shared memory, or one after the other in global memory.
template <class Word>
struct InTile {
    static __device__ unsigned place_of(unsigned i) { return place<Word>(i); }
    static constexpr unsigned kStride = kStripe<Word>;  // from a word to the one 32 further on
};
struct InOrder {
    static __device__ unsigned place_of(unsigned i) { return i; }
    static constexpr unsigned kStride = kWarpSize;
};

/// merge_path_cut() for the diagonals where the warp's window begins and ends: lane 0 returns the
/// first, lane 31 the second. Each half of the warp tries 16 places at a time, and so needs a
/// quarter of the rounds of a binary search. One of the runs has at most kMax words; 0 means that
/// nobody knows.
template <class Layout, unsigned kMax, class Word>
__device__ unsigned window_cuts(const Word* words, Runs runs, unsigned first, unsigned last) {
    constexpr unsigned kTries = kWarpSize / 2;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned my_try = lane % kTries;
    const unsigned diagonal = lane < kTries ? first : last;
    const unsigned my_half = lane < kTries ? 0x0000ffffu : 0xffff0000u;
    const unsigned end_b = runs.b + diagonal - 1;
    unsigned low = diagonal - min(diagonal, runs.count_b);
    const unsigned high = min(diagonal, runs.count_a);  // the cut is low, low + 1, ... high
    // One round: of the next kTries parts of `step` places, those before the cut are passed.
    const auto pass = [&](unsigned step) {
        const unsigned middle = low + step * (my_try + 1) - 1;  // the last place of my part
        bool beyond = middle >= high;
        if (!beyond) {
            beyond =
                words[Layout::place_of(end_b - middle)] < words[Layout::place_of(runs.a + middle)];
        }
        const unsigned votes = __ballot_sync(kFullMask, beyond);
        low += step * __popc(~votes & my_half);
    };
    if constexpr (kMax > 0) {
        constexpr unsigned kFirst = (kMax + kTries - 1) / kTries;
#pragma unroll
        for (unsigned step = kFirst; step > 0; step = (step + kTries - 2) / kTries) pass(step);
    } else {
        unsigned left = high - low;
        while (__any_sync(kFullMask, left > 0)) {
            const unsigned step = max((left + kTries - 1) / kTries, 1u);
            pass(step);
            left = min(high - low, step - 1);
        }
    }
    return low;
}

/// Loads the window that is `count` words of the merge of two runs, from diagonal `first` on, of
/// which `count_a` come from a, from word `begin_a` on. It becomes a bitonic sequence: those of a
/// ascending, then kLast as often as there is room, then those of b descending. Striped.
template <class Layout, int kKeys, class Word>
__device__ void load_cut_window(Word (&word)[kKeys], const Word* words, Runs runs, unsigned first,
                                unsigned count, unsigned begin_a, unsigned count_a) {
    const int lane = static_cast<int>(threadIdx.x % kWarpSize);
    constexpr int kWindow = kKeys * kWarpSize;
    const Word* const a = words + Layout::place_of(runs.a + begin_a + lane);
    const Word* const b = words + Layout::place_of(runs.b + (first - begin_a) + kWindow - 1 - lane);
    // Word `at` of the window is one of a where at < until_a, one of b where at >= from_b. Rows of
    // 32 words are taken in chunks, few of which have both.
    const int until_a = static_cast<int>(count_a);
    const int from_b = kWindow - static_cast<int>(count - count_a);
    constexpr int kChunk = kKeys < 8 ? kKeys : 8;
    constexpr int kStride = Layout::kStride;
#pragma unroll
    for (int chunk = 0; chunk < kKeys; chunk += kChunk) {
        if ((chunk + kChunk) * kWarpSize <= until_a) {
#pragma unroll
            for (int i = chunk; i < chunk + kChunk; ++i) word[i] = a[i * kStride];
        } else if (chunk * kWarpSize >= from_b) {
#pragma unroll
            for (int i = chunk; i < chunk + kChunk; ++i) word[i] = *(b - i * kStride);
        } else {
#pragma unroll
            for (int i = chunk; i < chunk + kChunk; ++i) {
                word[i] = kLast<Word>;
                if (i * kWarpSize < until_a - lane) word[i] = a[i * kStride];
                if (i * kWarpSize >= from_b - lane) word[i] = *(b - i * kStride);
            }
        }
    }
}

/// The same, where the warp looks for the cuts itself. kMax: as for window_cuts().
template <class Layout, unsigned kMax, int kKeys, class Word>
__device__ void load_window(Word (&word)[kKeys], const Word* words, Runs runs, unsigned first,
                            unsigned count) {
    const unsigned cut = window_cuts<Layout, kMax>(words, runs, first, first + count);
    const unsigned begin_a = __shfl_sync(kFullMask, cut, 0);
    const unsigned count_a = __shfl_sync(kFullMask, cut, kWarpSize - 1) - begin_a;
    load_cut_window<Layout>(word, words, runs, first, count, begin_a, count_a);
}

// ---- A block sorts a tile, and the ways in and out -------------------------------------------

/// Sorts a tile that lies striped in the warps' registers, kLast past the end; blocked afterwards.
/// Windows are sorted in registers, and then merged in pairs, pairs of pairs...
template <class S>
__device__ void sort_tile(typename S::Word (&word)[S::kKeys], typename S::Word* tile) {
    using Word = typename S::Word;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    sort_warp(word, tile, out);
#pragma unroll 1
    for (unsigned run = S::kWindow; run < S::kTile; run *= 2) {
        store_blocked(word, tile, out);
        __syncthreads();  // the windows are written before others read them
        const unsigned begin = out & ~(2 * run - 1);
        load_window<InTile<Word>, S::kTile / 2>(word, tile, {begin, run, begin + run, run},
                                                out - begin, S::kWindow);
        __syncthreads();  // all have read before a window is written again
        clean_window(word, tile, out);
    }
}

/// Stores a striped window: the lane's first word to words[first], nothing from `end` on.
template <int kKeys, class Word>
__device__ void store_window(const Word (&word)[kKeys], Word* words, unsigned first, unsigned end) {
    Word* const mine = words + first;
    const int room = static_cast<int>(end - first);
    if (__all_sync(kFullMask, room > (kKeys - 1) * kWarpSize)) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) mine[i * kWarpSize] = word[i];
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (i * kWarpSize < room) mine[i * kWarpSize] = word[i];
        }
    }
}

/// Is it the address of a vector?
__device__ inline bool is_aligned(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// Stores a blocked window, through the window of `tile` at `begin`: its first word to
/// words[first], nothing from `end` on. In vectors, where it is whole and lies at one.
template <int kKeys, class Word>
__device__ void store_blocked_window(const Word (&word)[kKeys], Word* tile, unsigned begin,
                                     Word* words, unsigned first, unsigned end) {
    constexpr unsigned kWindow = kKeys * kWarpSize;
    const unsigned lane = threadIdx.x % kWarpSize;
    store_blocked(word, tile, begin);
    __syncwarp();  // written by other lanes than will read
    if (first < end && end - first >= kWindow && is_aligned(words + first)) {
        constexpr unsigned kStep = kWarpSize * kInVector<Word>;
        const Word* const from = tile + place<Word>(begin + lane * kInVector<Word>);
        Word* const to = words + first + lane * kInVector<Word>;
#pragma unroll
        for (unsigned i = 0; i < kKeys / kInVector<Word>; ++i) {
            Word vector[kInVector<Word>];
            load_vector(vector, from + i * place<Word>(kStep));
            store_vector(vector, to + i * kStep);
        }
        return;
    }
    Word striped[kKeys];
    load_striped(striped, tile, begin);
    store_window(striped, words, first + lane, end);
}

/// Stores a striped window as keys and values: the lane's first to place `first`, nothing from
/// `end` on.
template <int kKeys, class Word>
__device__ void store_sorted_window(Word (&word)[kKeys], unsigned first, unsigned end, KeyType type,
                                    const std::uint32_t* old_values, std::uint32_t* keys,
                                    std::uint32_t* values) {
    if (!kHasValue<Word> && type == KeyType::signed_int) {
        store_window(word, reinterpret_cast<Word*>(keys), first, end);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = first + i * kWarpSize;
        if (at < end) store_sorted(word[i], at, type, old_values, keys, values);
    }
}

/// Stores a blocked window as keys and values, through the window of `tile` at `begin`: its first
/// to place `first`, nothing from `end` on.
template <int kKeys, class Word>
__device__ void store_sorted_blocked_window(Word (&word)[kKeys], Word* tile, unsigned begin,
                                            unsigned first, unsigned end, KeyType type,
                                            const std::uint32_t* old_values, std::uint32_t* keys,
                                            std::uint32_t* values) {
    if constexpr (!kHasValue<Word>) {
        if (type == KeyType::signed_int) {
            store_blocked_window(word, tile, begin, reinterpret_cast<Word*>(keys), first, end);
            return;
        }
    }
    to_striped(word, tile, begin);
    store_sorted_window(word, first + threadIdx.x % kWarpSize, end, type, old_values, keys, values);
}

/// Loads a window of keys as words, from keys[begin] on, in any order; kLast from n on. kInVectors:
/// in vectors where they lie at one. A kernel with few registers left does without.
template <bool kInVectors, int kKeys, class Word>
__device__ void load_keys(Word (&word)[kKeys], const std::uint32_t* keys, unsigned begin,
                          unsigned n, KeyType type) {
    const unsigned lane = threadIdx.x % kWarpSize;
    if constexpr (kInVectors && !kHasValue<Word>) {
        const bool whole = begin < n && n - begin >= kKeys * kWarpSize;
        if (type == KeyType::signed_int && whole && is_aligned(keys + begin)) {
            const Word* const from = reinterpret_cast<const Word*>(keys) + begin + lane * 4;
#pragma unroll
            for (unsigned i = 0; i < kKeys; i += 4) load_vector(word + i, from + i * kWarpSize);
            return;
        }
    }
    const unsigned first = begin + lane;
    const std::uint32_t* const mine = keys + first;
    const int room = static_cast<int>(n) - static_cast<int>(first);
    const bool whole = __all_sync(kFullMask, room > (kKeys - 1) * kWarpSize);
    int order[kKeys];
    if (whole) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) order[i] = static_cast<int>(mine[i * kWarpSize]);
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            order[i] = i * kWarpSize < room ? static_cast<int>(mine[i * kWarpSize]) : 0;
        }
    }
    if (type != KeyType::signed_int) {
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            order[i] = ordered_int_of_bits(static_cast<std::uint32_t>(order[i]), type);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const bool there = whole || static_cast<int>(i) * kWarpSize < room;
        word[i] = there ? word_of<Word>(order[i], first + i * kWarpSize) : kLast<Word>;
    }
}

/// Loads and sorts the tile of keys that begins at `begin`; afterwards the tile's words are
/// blocked, a window a warp. Keeps a copy of the values. kInVectors: as for load_keys().
template <bool kInVectors, class S>
__device__ void load_and_sort(typename S::Word (&word)[S::kKeys], typename S::Word* tile,
                              const std::uint32_t* keys, const std::uint32_t* values,
                              std::uint32_t* old_values, unsigned begin, unsigned n, KeyType type) {
    using Word = typename S::Word;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    load_keys<kInVectors>(word, keys, begin + out, n, type);
    if constexpr (kHasValue<Word>) {
        const unsigned first = begin + out + threadIdx.x % kWarpSize;
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            const unsigned at = first + i * kWarpSize;
            if (at < n) old_values[at] = values[at];
        }
    }
    sort_tile<S>(word, tile);
}

/// What allows a kernel more than 48 KB of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

/// How many blocks of so many threads, and bytes of dynamic shared memory, the device holds at
/// once.
template <class Kernel>
unsigned resident_blocks(Kernel* kernel, unsigned threads, std::size_t bytes) {
    allow_shared(kernel, bytes);
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             static_cast<int>(threads), bytes));
    return static_cast<unsigned>(per_sm * tutorial::device_info().sm_count);
}

// ---- Few keys: one block ---------------------------------------------------------------------

/// Sorts tiles. Where there is only one it is stored as keys and values, else as words.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_tile_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                           typename S::Word* words, std::uint32_t* old_values) {
    using Word = typename S::Word;
    Word* const tile = shared_tile<Word>();
    const unsigned begin = blockIdx.x * S::kTile;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    Word word[S::kKeys];
    load_and_sort<true, S>(word, tile, keys, values, old_values, begin, n, type);
    if (gridDim.x == 1) {
        __syncthreads();  // all old values are stored before they are fetched
        store_sorted_blocked_window(word, tile, out, begin + out, n, type, old_values, keys,
                                    values);
    } else {
        store_blocked_window(word, tile, out, words, begin + out, n);
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

// ---- Few keys: one launch --------------------------------------------------------------------

/// Where the last level puts the keys and values.
struct Sorted {
    KeyType type;
    const std::uint32_t* old_values;
    std::uint32_t *keys, *values;
};

/// Merges n words in sorted runs of `run` in pairs, a warp a window; of the windows' tiles the
/// block takes `first`, `first` + `step`... The last level's result becomes keys and values.
template <class S>
__device__ void merge_level(typename S::Word* tile, const typename S::Word* from,
                            typename S::Word* to, unsigned n, unsigned run, unsigned first,
                            unsigned step, const Sorted& sorted) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    typename S::Word word[S::kKeys];
    for (unsigned at = first * S::kTile + out; at < n; at += step * S::kTile) {
        const unsigned begin = at & ~(2 * run - 1);
        const unsigned middle = min(begin + run, n);
        const unsigned end = min(begin + 2 * run, n);
        const Runs runs = {begin, middle - begin, middle, end - middle};
        load_window<InOrder, 0>(word, from, runs, at - begin, min(S::kWindow, end - at));
        clean_window(word, tile, out);
        to_striped(word, tile, out);
        if (2 * run >= n) {
            store_sorted_window(word, at + lane, end, sorted.type, sorted.old_values, sorted.keys,
                                sorted.values);
        } else {
            store_window(word, to, at + lane, end);
        }
        __syncwarp();  // the window has been read before it is written again
    }
}

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
        load_and_sort<false, S>(word, tile, keys, values, old_values, begin, n, type);
        to_striped(word, tile, out);
        store_window(word, from, begin + out + lane, n);
        __syncwarp();  // the window has been read before it is written again
    }
    for (unsigned run = S::kTile; run < n; run *= 2) {
        grid.sync();  // the runs are stored before other blocks read them
        const Sorted sorted = {type, old_values, keys, values};
        merge_level<S>(tile, from, to, n, run, blockIdx.x, gridDim.x, sorted);
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
    static const unsigned resident =
        resident_blocks(merge_best_grid_kernel<S>, S::kThreads, S::kBytes);
    unsigned n = static_cast<unsigned>(job.n);
    // The last level must not write the keys where it reads words, and with KeyWord the two share
    // their memory.
    const bool odd = levels_above(n, S::kTile) % 2 != 0;
    Word* from = odd ? job.spare : job.words;
    Word* to = odd ? job.words : job.spare;
    void* arguments[] = {&job.keys, &job.values, &n, &job.type, &from, &to, &job.old_values};
    // Cooperative: all blocks run at once, or none does. Blocks that wait for each other need it.
    CUDA_CHECK(tutorial::launch_cooperatively(merge_best_grid_kernel<S>,
                                              dim3(std::min(divide_up(n, S::kTile), resident)),
                                              dim3(S::kThreads), arguments, S::kBytes));
}

// ---- Many keys: where four runs are cut ------------------------------------------------------

// Four runs are merged at a time, by several blocks: where each block's four pieces begin, and how
// the block loads them.

constexpr unsigned kWays = 4;

/// What merges of four runs have in common. A group of runs is merged by several tiles.
struct Groups {
    unsigned n, run;           ///< words in all; in a run
    unsigned share;            ///< words that a block merges
    unsigned tiles_per_group;  ///< = divide_up(kWays * run, share)

    __host__ __device__ unsigned begin_of(unsigned group) const { return group * kWays * run; }
    /// Words in run `way` of the group.
    __host__ __device__ unsigned length(unsigned group, unsigned way) const {
        const unsigned begin = begin_of(group) + way * run;
        return begin < n ? min(run, n - begin) : 0;
    }
};

constexpr unsigned kTries = 4;                  ///< words that are looked at in each run at a time
constexpr unsigned kCutLanes = kWays * kTries;  ///< that work on a cut

/// Where each of the group's runs is cut so that `rank` words lie before the cuts, and none of them
/// comes after any of the rest; words that are equal count in the order of the runs. Half a warp
/// works it out, and the other half another cut; the lanes of `way` return that run's cut, the
/// first four of the half the first's.
///
/// It advances by blocks of 2^k words, then 2^(k-1), ... 1: among the next blocks of all runs the
/// one with the least last word is surely part of the first `rank` as long as `rank` leaves room
/// for it and for what may precede that word in the other three blocks.
template <class Word>
__device__ unsigned cut_runs(const Word* from, Groups groups, unsigned group, unsigned rank) {
    constexpr unsigned kOneWay = (1u << kTries) - 1;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned first_lane = lane / kCutLanes * kCutLanes;  // of those that work on this cut
    const unsigned way = lane % kCutLanes / kTries;
    const unsigned length = groups.length(group, way);
    const Word* run = from + groups.begin_of(group) + way * groups.run;
    unsigned cut = 0;
    unsigned left = rank;
    for (int level = 31 - __clz(static_cast<int>(groups.run)); level >= 0; --level) {
        const unsigned block = 1u << level;
        const unsigned slack = kWays * (block - 1);
        // Blocks to be taken, at most kTries. None: the lanes of the other cut may have some.
        const unsigned take = left > slack ? ((left - slack - 1) >> level) + 1 : 0;
        const unsigned at = cut + (lane % kTries + 1) * block - 1;
        const bool there = at < length;
        const KeyWord mine = there ? sort_key(run[at]) : kLast<KeyWord>;
        const unsigned all_there = __ballot_sync(kFullMask, there) >> first_lane;
        unsigned before = lane % kTries;  // blocks whose last word precedes mine
#pragma unroll
        for (unsigned i = 1; i < kWays; ++i) {
            const unsigned other = way ^ i;
            const unsigned candidates = __popc(all_there >> (other * kTries) & kOneWay);
            unsigned rank = 0;  // of mine among them, by a binary search over their lanes
#pragma unroll
            for (unsigned step = kTries; step > 0; step /= 2) {
                const unsigned middle = rank + step - 1;
                const unsigned source = first_lane + (other * kTries + middle) % kCutLanes;
                const KeyWord word = __shfl_sync(kFullMask, mine, source);
                const bool precedes = word < mine || (word == mine && other < way);
                if (middle < candidates && precedes) rank += step;
            }
            before += rank;
        }
        const unsigned votes = __ballot_sync(kFullMask, there && before < take) >> first_lane;
        cut += block * __popc(votes >> (way * kTries) & kOneWay);
        left -= block * __popc(votes & ((1u << kCutLanes) - 1));
    }
    return cut;
}

/// Half a warp a cut: cuts[group * (tiles_per_group + 1) + tile] is where that tile begins in the
/// runs; `count` of them in all.
template <class Word>
__global__ void merge_best_cuts_kernel(const Word* from, Groups groups, unsigned count,
                                       unsigned* cuts) {
    const unsigned mine = (blockIdx.x * blockDim.x + threadIdx.x) / kCutLanes;
    const unsigned index = min(mine, count - 1);  // all lanes of a warp take part
    const unsigned group = index / (groups.tiles_per_group + 1);
    const unsigned tile = index % (groups.tiles_per_group + 1);
    const unsigned most = min(groups.n - groups.begin_of(group), kWays * groups.run);
    const unsigned cut = cut_runs(from, groups, group, min(tile * groups.share, most));
    const unsigned lane = threadIdx.x % kCutLanes;
    if (mine < count && lane % kTries == 0) cuts[index * kWays + lane / kTries] = cut;
}

/// A tile's four pieces, one after the other: word `at` of the tile is from[at + shift[its way]].
struct Pieces {
    unsigned start[kWays + 1], shift[kWays];
    unsigned before;  ///< words of the result before the tile's

    __device__ Pieces(Groups groups, const unsigned* cuts, unsigned tile) {
        const unsigned group = tile / groups.tiles_per_group;
        const unsigned* const first_cut = cuts + (tile + group) * kWays;
        start[0] = 0;
        before = groups.begin_of(group);
#pragma unroll
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned cut = first_cut[way];
            start[way + 1] = start[way] + first_cut[kWays + way] - cut;
            shift[way] = groups.begin_of(group) + way * groups.run + cut - start[way];
            before += cut;
        }
    }
};

/// Loads the warp's window at `out` of the pieces, one after the other as Pieces has them. Striped.
template <class S>
__device__ void load_pieces(typename S::Word (&word)[S::kKeys], const typename S::Word* from,
                            const unsigned (&start)[kWays + 1], const unsigned (&shift)[kWays],
                            unsigned out) {
    const unsigned first = out + threadIdx.x % kWarpSize;
    bool in_one = false;  // most windows lie in one piece
    unsigned at = first;
#pragma unroll
    for (unsigned way = 0; way < kWays; ++way) {
        if (out >= start[way] && out + S::kWindow <= start[way + 1]) {
            in_one = true;
            at = first + shift[way];
        }
    }
    if (in_one) {
        const typename S::Word* const mine = from + at;
#pragma unroll
        for (int i = 0; i < S::kKeys; ++i) word[i] = mine[i * kWarpSize];
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        at = first + i * kWarpSize;
        unsigned by = shift[0];
#pragma unroll
        for (unsigned way = 1; way < kWays; ++way) by = at >= start[way] ? shift[way] : by;
        if (at < start[kWays]) word[i] = from[at + by];
    }
}

// ---- Many keys: all sweeps -------------------------------------------------------------------

/// How many sweeps merge runs of `run` words, four at a time, into one.
inline int sweeps_above(std::size_t n, std::size_t run) {
    int sweeps = 0;
    for (; run < n; run *= kWays) ++sweeps;
    return sweeps;
}

/// What is left to do of a sort: at most four sorted runs, and how to merge them. `left` is false
/// where nothing is.
template <class Word>
struct LastSweep {
    const Word* from = nullptr;
    Groups groups = {};  ///< one group
    /// Merges tiles [first, end): words [first * groups.share, end * groups.share) of the result,
    /// as far as there are so many. In any order, each once. `beside_others`: other kernels may
    /// hold some of the multiprocessors.
    std::function<void(unsigned first, unsigned end, bool beside_others)> merge;

    bool left() const { return merge != nullptr; }
    unsigned tiles() const { return divide_up(groups.n, groups.share); }
    void merge_all() const {
        if (left()) merge(0, tiles(), false);
    }
};

/// What the words of a sweep are: a pair is its key and its value, not a PairWord.
template <class Word>
using InSweeps = std::conditional_t<kHasValue<Word>, Pair, KeyWord>;

/// Merges n words in sorted runs of `run` < n, four at a time, until one sweep is left, whose cuts
/// have been found; a tile is `share` words of the result. merge(from, to, groups, cuts, tiles,
/// is_last, beside_others) does a sweep, or a part of the last one; from and to swap roles between
/// the sweeps.
template <class Word, class Merge>
LastSweep<Word> merge_up_to_last_sweep(Word* from, Word* to, unsigned n, std::size_t run,
                                       unsigned share, unsigned* cuts, const Merge& merge) {
    for (;; run *= kWays) {
        Groups groups = {n, static_cast<unsigned>(run), share, divide_up(kWays * run, share)};
        const unsigned whole = static_cast<unsigned>(n / (kWays * run));
        const unsigned rest = static_cast<unsigned>(n % (kWays * run));
        const unsigned tiles = whole * groups.tiles_per_group + divide_up(rest, share);
        const unsigned count = tiles + divide_up(n, kWays * run);
        merge_best_cuts_kernel<<<divide_up(count * kCutLanes, 128), 128>>>(from, groups, count,
                                                                           cuts);
        CUDA_CHECK_LAUNCH();
        if (run * kWays >= n) {
            return {from, groups, [=](unsigned first, unsigned end, bool beside_others) {
                        merge(from, to, groups, cuts + first * kWays, end - first, true,
                              beside_others);
                        CUDA_CHECK_LAUNCH();
                    }};
        }
        merge(from, to, groups, cuts, tiles, false, false);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
}

// ---- Many keys: four runs at a time ----------------------------------------------------------

/// A tile's pieces as they are copied: in vectors, from the one in which a piece begins to the one
/// in which it ends, so that all of them are aligned.
struct Layout {
    unsigned start[kWays + 1];  ///< words before each piece
    unsigned place[kWays];      ///< of its first word among the copied
    unsigned source[kWays];     ///< its first vector
    unsigned before;            ///< words of the result before the tile's

    /// The array begins `skew` words behind the first vector's begin.
    __device__ void set(const Pieces& pieces, unsigned skew) {
        unsigned vectors = 0;
        start[0] = 0;
        before = pieces.before;
#pragma unroll
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned first = pieces.start[way] + pieces.shift[way] + skew;
            start[way + 1] = pieces.start[way + 1];
            place[way] = vectors * 4 + first % 4;
            source[way] = first / 4;
            vectors += vectors_of(way);
        }
    }
    __device__ unsigned vectors_of(unsigned way) const {
        const unsigned words = start[way + 1] - start[way];
        return words > 0 ? (place[way] % 4 + words + 3) / 4 : 0;
    }
};

/// The array from which pieces are copied, in vectors. Its first and last one may hold words that
/// are not the array's: those before it are copied, and not used; those behind it may not exist.
struct Source {
    const KeyWord* vectors;  ///< aligned
    unsigned skew;           ///< words before the array
    unsigned end;            ///< words up to its end

    __device__ Source(const KeyWord* from, unsigned n)
        : vectors(from), skew(reinterpret_cast<std::uintptr_t>(from) / sizeof(KeyWord) % 4) {
        vectors -= skew;
        end = n + skew;
    }
    __device__ unsigned whole() const { return end / 4; }
    /// Vectors of a piece, without the array's last one if that is not whole.
    __device__ unsigned whole_of(const Layout& layout, unsigned way) const {
        const unsigned end_of_piece = min(layout.source[way] + layout.vectors_of(way), whole());
        return max(end_of_piece, layout.source[way]) - layout.source[way];
    }
};

/// The thread that starts copies is one of the last warp, which has the least to merge.
__device__ inline bool starts_copies() { return threadIdx.x == blockDim.x - 1; }

/// Copies a tile's pieces to `copied`, or starts to; wait_for_copies() ends it. By all threads,
/// behind a barrier.
__device__ inline void copy_pieces(const Source& source, const Layout& layout, KeyWord* copied,
                                   std::uint64_t* arrived) {
    if (starts_copies()) {
        order_before_copies();
        unsigned bytes = 0;
#pragma unroll 1
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned first = layout.source[way];
            const unsigned whole = source.whole_of(layout, way);
            bytes += 16 * whole;
            // The words behind the array's last whole vector, one by one.
            if (whole == layout.vectors_of(way)) continue;
            KeyWord* const to = copied + layout.place[way] / 4 * 4;
            for (unsigned i = source.whole() * 4; i < source.end; ++i) {
                to[i - first * 4] = source.vectors[i];
            }
        }
        expect_copies(arrived, bytes);
    }
    if (kBulkCopies && !starts_copies()) return;
#pragma unroll 1
    for (unsigned way = 0; way < kWays; ++way) {
        const unsigned vectors = source.whole_of(layout, way);
        const KeyWord* const from = source.vectors + layout.source[way] * 4;
        KeyWord* const to = copied + layout.place[way] / 4 * 4;
        if constexpr (kBulkCopies) {
            if (vectors > 0) start_copy(to, from, 16 * vectors, arrived);
        } else {
            for (unsigned i = threadIdx.x; i < vectors; i += blockDim.x) {
                reinterpret_cast<int4*>(to)[i] = reinterpret_cast<const int4*>(from)[i];
            }
        }
    }
}

/// A block's shape for sweeps of keys.
template <int kKeysPerThread, int kWarpsPerBlock>
struct SweepShape : Shape<KeyWord, kKeysPerThread, kWarpsPerBlock> {
    using Base = Shape<KeyWord, kKeysPerThread, kWarpsPerBlock>;
    static_assert(kWarpsPerBlock >= 4, "a window is left free for the pairs' ends");
    /// Words that it merges at a time: a window is left free for the pairs' ends.
    static constexpr unsigned kShare = Base::kTile - Base::kWindow;
    /// Room for the copied pieces, each with up to 6 words beside it.
    static constexpr unsigned kCopied = kShare + 8 * kWays;
    /// What is copied while a tile is merged, and the tile; and what the kernel itself declares.
    static constexpr std::size_t kDynamicBytes = kCopied * sizeof(KeyWord) + Base::kBytes;
    static constexpr unsigned kLayouts = 3;
    static constexpr std::size_t kBytes =
        kDynamicBytes + kLayouts * sizeof(Layout) + sizeof(std::uint64_t);
    /// Registers for all words of a thread and about half as many again beside them.
    static constexpr unsigned kBlocks = kWarpsPerBlock < 24 ? 24 / kWarpsPerBlock : 1;
};

// merge_best: a block merges four runs at a time, in two rounds in shared memory; a warp merges a
// window of words in registers, by the bitonic network's half-cleaners. While a tile is merged the
// next one is on its way.
// Removes: half of the sweeps over global memory; the serial merge, and its wait at each word.
// Remains: log2(n) levels of merges, ten comparisons a word each.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_kernel(const KeyWord* from, KeyWord* to, Groups groups, const unsigned* cuts,
                      unsigned tiles, bool last_sweep, KeyType type, std::uint32_t* keys) {
    // Of the tile before, which others may still store, of this one, and of the next.
    __shared__ Layout layouts[S::kLayouts];
    __shared__ std::uint64_t arrived;
    KeyWord* const copied = shared_tile<KeyWord>();
    KeyWord* const tile = copied + S::kCopied;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Source source(from, groups.n);
    const auto lay_out = [&](unsigned next, Layout& layout) {
        if (starts_copies() && next < tiles) layout.set(Pieces(groups, cuts, next), source.skew);
    };
    if (starts_copies()) init_copies(&arrived);
    lay_out(blockIdx.x, layouts[0]);
    __syncthreads();  // the first tile's layout is known, and the copies' barrier is there
    copy_pieces(source, layouts[0], copied, &arrived);
    unsigned turn = 0;
    unsigned parity = 0;
    for (unsigned at = blockIdx.x; at < tiles; at += gridDim.x) {
        const Layout& layout = layouts[turn];
        const unsigned after = turn + 1 < S::kLayouts ? turn + 1 : 0;
        const unsigned next = at + gridDim.x;
        lay_out(next, layouts[after]);
        wait_for_copies(&arrived, parity);
        parity = 1 - parity;

        // The first round: runs 0 and 1 to the tile's first windows, runs 2 and 3 to the next ones.
        const unsigned begin_upper = (layout.start[2] + S::kWindow - 1) / S::kWindow * S::kWindow;
        KeyWord word[S::kKeys];
        unsigned left = 0;
        {
            const bool upper = out >= begin_upper;
            const unsigned way = upper ? 2 : 0;
            const Runs runs = {layout.place[way], layout.start[way + 1] - layout.start[way],
                               layout.place[way + 1],
                               layout.start[way + 2] - layout.start[way + 1]};
            const unsigned first = upper ? out - begin_upper : out;
            left = runs.count_a + runs.count_b - min(first, runs.count_a + runs.count_b);
            if (left > 0) {
                load_window<InOrder, S::kShare / 2>(word, copied, runs, first,
                                                    min(S::kWindow, left));
            }
        }
        __syncthreads();  // all have read what was copied, and stored the tile before
        if (next < tiles) copy_pieces(source, layouts[after], copied, &arrived);
        if (left > 0) {
            clean_window(word, tile, out);
            store_blocked(word, tile, out);
        }
        __syncthreads();  // the windows are written before others read them

        // The second round.
        const unsigned total = layout.start[kWays];
        left = total - min(out, total);
        if (left > 0) {
            const Runs runs = {0, layout.start[2], begin_upper, total - layout.start[2]};
            load_window<InTile<KeyWord>, S::kShare / 2>(word, tile, runs, out,
                                                        min(S::kWindow, left));
        }
        __syncthreads();  // all have read before a window is written
        if (left > 0) {
            clean_window(word, tile, out);
            const unsigned first = layout.before + out;
            const unsigned end = layout.before + total;
            if (last_sweep) {
                store_sorted_blocked_window(word, tile, out, first, end, type, nullptr, keys,
                                            nullptr);
            } else {
                store_blocked_window(word, tile, out, to, first, end);
            }
        }
        turn = after;
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape, but for the last
/// sweep.
template <class SortShape, class MergeShape>
[[nodiscard]] LastSweep<KeyWord> merge_four_at_a_time(Job<KeyWord> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    if (n <= SortShape::kTile) {
        sort_one_tile<SortShape>(job);
        return {};
    }
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
    static const unsigned resident = resident_blocks(
        merge_best_kernel<MergeShape>, MergeShape::kThreads, MergeShape::kDynamicBytes);
    const auto merge = [job](const KeyWord* runs, KeyWord* merged, const Groups& groups,
                             const unsigned* cuts, unsigned tiles, bool is_last,
                             bool beside_others) {
        // As many blocks as run at once: each fetches its next tile while it merges one. But where
        // some of them had to wait for a multiprocessor, all would wait for their many tiles.
        const unsigned blocks = beside_others ? tiles : std::min(tiles, resident);
        merge_best_kernel<MergeShape><<<blocks, MergeShape::kThreads, MergeShape::kDynamicBytes>>>(
            runs, merged, groups, cuts, tiles, is_last, job.type, job.keys);
    };
    return merge_up_to_last_sweep(from, to, n, SortShape::kTile, MergeShape::kShare, cuts, merge);
}

// ---- Many keys with values -------------------------------------------------------------------

// A thread merges a few pairs serially, and so equal keys keep their order without a position in
// the word; the values move with their keys.

/// A block of kWarpsPerBlock warps, each thread of which sorts or merges kPairsPerThread. That
/// number is odd: then the threads of a warp, each of which writes its pairs one by one, write to
/// different banks, without free words between them.
template <int kPairsPerThread, int kWarpsPerBlock>
struct PairShape : Shape<Pair, kPairsPerThread, kWarpsPerBlock> {
    static_assert(kPairsPerThread % 2 != 0, "an even number would have bank conflicts");
    using Base = Shape<Pair, kPairsPerThread, kWarpsPerBlock>;
    /// What a block merges: two runs of any length end in it, and a thread works on one of them.
    static constexpr unsigned kShare = Base::kTile - kPairsPerThread;
    /// Registers for all pairs of a thread, and those beside them.
    static constexpr unsigned kBlocks =
        tutorial::blocks_bound(65536 / Base::kThreads / (2 * kPairsPerThread + 30), Base::kThreads);
    /// One pair more than a tile: merge_share() reads the pair behind a run.
    static constexpr std::size_t kBytes = sizeof(Pair) * (Base::kTile + 1);
};

/// From blocked to striped, through the warp's window of the tile.
template <class S>
__device__ void to_striped_pairs(Pair (&pair)[S::kKeys], Pair* tile) {
    Pair* const block = tile + threadIdx.x * S::kKeys;
    const Pair* const stripe =
        tile + threadIdx.x / kWarpSize * S::kWindow + threadIdx.x % kWarpSize;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) block[i] = pair[i];
    __syncwarp();  // written by other lanes than will read
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) pair[i] = stripe[i * kWarpSize];
}

/// Stores a striped window as keys and values: the lane's first pair to place `first`, nothing from
/// `end` on.
template <int kPairs>
__device__ void store_apart(const Pair (&pair)[kPairs], unsigned first, unsigned end, KeyType type,
                            std::uint32_t* keys, std::uint32_t* values) {
#pragma unroll
    for (unsigned i = 0; i < kPairs; ++i) {
        const unsigned at = first + i * kWarpSize;
        if (at >= end) continue;
        keys[at] = bits_of_ordered_int(pair[i].order, type);
        values[at] = pair[i].value;
    }
}

/// The thread's share of the merge of two runs of the tile: kPairs of it from `diagonal` on. Where
/// fewer are left, the rest is anything, and kPairs - 1 pairs behind the runs are read too; else
/// one.
template <int kPairs>
__device__ void merge_share(Pair (&merged)[kPairs], const Pair* tile, Runs runs,
                            unsigned diagonal) {
    diagonal = min(diagonal, runs.count_a + runs.count_b);
    const unsigned cut =
        merge_path_cut(tile + runs.a, runs.count_a, tile + runs.b, runs.count_b, diagonal);
    const Pair* a = tile + runs.a + cut;
    const Pair* b = tile + runs.b + (diagonal - cut);
    const Pair* const end_a = tile + runs.a + runs.count_a;
    const Pair* const end_b = tile + runs.b + runs.count_b;
    Pair head_a = *a;
    Pair head_b = *b;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        const bool take_a = b >= end_b || (a < end_a && !(head_b < head_a));
        merged[i].value = take_a ? head_a.value : head_b.value;
        merged[i].order = take_a ? head_a.order : head_b.order;
        if (i + 1 == kPairs) break;
        // No branch: the lanes of a warp disagree, and would go both ways one after the other.
        const Pair* const next = (take_a ? a : b) + 1;
        const Pair head = *next;
        a = take_a ? next : a;
        b = take_a ? b : next;
        head_a.value = take_a ? head.value : head_a.value;
        head_a.order = take_a ? head.order : head_a.order;
        head_b.value = take_a ? head_b.value : head.value;
        head_b.order = take_a ? head_b.order : head.order;
    }
}

/// Sorts tiles of pairs. A thread sorts its own by a network; then runs of 1, 2, 4, ... threads are
/// merged. Where there is only one tile it is stored as keys and values.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_pairs_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                      Pair* pairs) {
    Pair* const tile = shared_tile<Pair>();
    std::uint32_t* const tile_values = reinterpret_cast<std::uint32_t*>(tile);
    int* const tile_orders = reinterpret_cast<int*>(tile_values + S::kTile);
    const unsigned begin = blockIdx.x * S::kTile;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned mine = threadIdx.x * S::kKeys;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        const unsigned at = out + i * kWarpSize + lane;
        const bool there = begin + at < n;
        tile_orders[at] = there ? ordered_int_of_bits(keys[begin + at], type) : kLast<int>;
        tile_values[at] = there ? values[begin + at] : 0;
    }
    __syncwarp();  // loaded by other lanes than will sort
    PairWord word[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) word[i] = word_of<PairWord>(tile_orders[mine + i], i);
    sort_registers(word);
    Pair pair[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        pair[i].order = order_in(word[i]);
        pair[i].value = tile_values[mine + static_cast<std::uint32_t>(word[i])];
    }
    if (threadIdx.x == 0) tile[S::kTile] = {};  // read, and never taken
    __syncthreads();  // all keys and values have been read before pairs take their place
#pragma unroll 1
    for (unsigned run = S::kKeys; run < S::kTile; run *= 2) {
#pragma unroll
        for (int i = 0; i < S::kKeys; ++i) tile[mine + i] = pair[i];
        __syncthreads();  // the runs are written before others read them
        const unsigned first = mine / (2 * run) * (2 * run);
        merge_share(pair, tile, {first, run, first + run, run}, mine - first);
        __syncthreads();  // all have read before the tile is written
    }
    to_striped_pairs<S>(pair, tile);
    if (gridDim.x == 1) {
        store_apart(pair, begin + out + lane, n, type, keys, values);
    } else {
        store_window(pair, pairs, begin + out + lane, n);
    }
}

// merge_best, for pairs: a block merges four runs at a time, in two rounds in shared memory; each
// thread merges its share serially, without a branch.
// Removes: the comparisons of 64 bits; the random reads of the values at the end.
// Remains: lanes that read their pairs from the same bank by chance.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_pairs_kernel(const Pair* from, Pair* to, Groups groups, const unsigned* cuts,
                       bool last_sweep, KeyType type, std::uint32_t* keys, std::uint32_t* values) {
    Pair* const tile = shared_tile<Pair>();
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Pieces pieces(groups, cuts, blockIdx.x);
    Pair word[S::kKeys];
    load_pieces<S>(word, from, pieces.start, pieces.shift, out);
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[out + i * kWarpSize + lane] = word[i];
    __syncthreads();  // loaded by other threads than will merge

    // The first round: runs 0 and 1 by the block's first threads, runs 2 and 3 by the next ones.
    const unsigned(&start)[kWays + 1] = pieces.start;
    const unsigned total = start[kWays];
    const unsigned mine = threadIdx.x * S::kKeys;
    const unsigned begin_upper = (start[2] + S::kKeys - 1) / S::kKeys * S::kKeys;
    const bool upper = mine >= begin_upper;
    const Runs lower_runs = {0, start[1], start[1], start[2] - start[1]};
    const Runs upper_runs = {start[2], start[3] - start[2], start[3], total - start[3]};
    merge_share(word, tile, upper ? upper_runs : lower_runs, upper ? mine - begin_upper : mine);
    __syncthreads();  // all have read before the tile is written
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[mine + i] = word[i];
    __syncthreads();  // the two runs are written before others read them

    // The second round.
    merge_share(word, tile, {0, start[2], begin_upper, total - start[2]}, mine);
    __syncthreads();  // all have read before the tile is written
    to_striped_pairs<S>(word, tile);
    const unsigned first = pieces.before + out + lane;
    const unsigned end = pieces.before + total;
    if (last_sweep) {
        store_apart(word, first, end, type, keys, values);
    } else {
        store_window(word, to, first, end);
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape, but for the last
/// sweep.
template <class SortShape, class MergeShape>
[[nodiscard]] LastSweep<Pair> merge_four_at_a_time(Job<PairWord> job) {
    if (job.n == 0) return {};
    const unsigned n = static_cast<unsigned>(job.n);
    Pair* const from = reinterpret_cast<Pair*>(job.words);
    Pair* const to = reinterpret_cast<Pair*>(job.spare);
    allow_shared(sort_pairs_kernel<SortShape>, SortShape::kBytes);
    sort_pairs_kernel<SortShape>
        <<<divide_up(n, SortShape::kTile), SortShape::kThreads, SortShape::kBytes>>>(
            job.keys, job.values, n, job.type, from);
    CUDA_CHECK_LAUNCH();
    if (n <= SortShape::kTile) return {};
    unsigned* const cuts = static_cast<unsigned*>(job.scratch);
    allow_shared(merge_pairs_kernel<MergeShape>, MergeShape::kBytes);
    const auto merge = [job](const Pair* runs, Pair* merged, const Groups& groups,
                             const unsigned* cuts, unsigned tiles, bool is_last, bool) {
        merge_pairs_kernel<MergeShape><<<tiles, MergeShape::kThreads, MergeShape::kBytes>>>(
            runs, merged, groups, cuts, is_last, job.type, job.keys, job.values);
    };
    return merge_up_to_last_sweep(from, to, n, SortShape::kTile, MergeShape::kShare, cuts, merge);
}

// ---- The best of them ------------------------------------------------------------------------

/// With the shapes that shapes.hpp names; but for the last sweep, where there are sweeps.
template <class Shapes, class Word>
[[nodiscard]] LastSweep<InSweeps<Word>> merge_best_in(Job<Word> job) {
    using Tiny = typename Shapes::Tiny;
    using Small = typename Shapes::Small;
    using Middle = typename Shapes::Middle;
    using Large = typename Shapes::Large;
    const std::size_t n = job.n;
    if (n <= Small::kTile || 2 * n * sizeof(Word) <= tutorial::device_info().l2_bytes) {
        // The least tile with which every multiprocessor has work, but no more than one tile.
        const std::size_t share = n / static_cast<std::size_t>(tutorial::device_info().sm_count);
        if (n <= Tiny::kTile) {
            sort_one_tile<Tiny>(job);
        } else if (n <= Small::kTile) {
            sort_one_tile<Small>(job);
        } else if (share <= Small::kTile) {
            merge_in_one_launch<Small>(job);
        } else if (share <= Middle::kTile) {
            merge_in_one_launch<Middle>(job);
        } else {
            merge_in_one_launch<Large>(job);
        }
        return {};
    }
    using Tile = typename Shapes::Tile;
    using Huge = typename Shapes::Huge;
    using Merge = typename Shapes::Merge;
    // Twice the tile, where that saves a sweep.
    if (sweeps_above(n, Huge::kTile) < sweeps_above(n, Tile::kTile)) {
        return merge_four_at_a_time<Huge, Merge>(job);
    }
    return merge_four_at_a_time<Tile, Merge>(job);
}

/// Sorts all but for the last sweep, where there are sweeps: its parts can be merged one by one,
/// and used at once. The job's arrays must stay until then.
template <class Word>
[[nodiscard]] LastSweep<InSweeps<Word>> merge_best_up_to_last_sweep(Job<Word> job) {
    LastSweep<InSweeps<Word>> last;
    with_shapes<Word>(tutorial::device_info(),
                      [&](auto shapes) { last = merge_best_in<decltype(shapes)>(job); });
    return last;
}

template <class Word>
void merge_best(Job<Word> job) {
    merge_best_up_to_last_sweep(job).merge_all();
}

}  // namespace sorting
