// What merge_best and bitonic_best share: the shape of a block's tile, a warp that merges a window,
// a block that sorts a tile, and the ways in and out.
#pragma once

#include "network.cuh"

namespace tutorial {

/// What a block works on: kWarps windows of 32 * kKeys words, a tile of kTile words.
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
    static constexpr unsigned kBlocks = 65536 / kThreads / (kKeys * sizeof(Word) / 4 + 32) > 0
                                            ? 65536 / kThreads / (kKeys * sizeof(Word) / 4 + 32)
                                            : 1;
};

/// The block's tile: kBytes of dynamic shared memory.
template <class Word>
__device__ Word* shared_tile() {
    extern __shared__ long long shared_words[];  // aligned for any word
    return reinterpret_cast<Word*>(shared_words);
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
/// quarter of the rounds of a binary search.
template <class Layout, class Word>
__device__ unsigned window_cuts(const Word* words, Runs runs, unsigned first, unsigned last) {
    constexpr unsigned kTries = kWarpSize / 2;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned my_try = lane % kTries;
    const unsigned diagonal = lane < kTries ? first : last;
    const unsigned end_b = runs.b + diagonal - 1;
    unsigned low = diagonal - min(diagonal, runs.count_b);
    unsigned left = min(diagonal, runs.count_a) - low;  // the cut is low, low + 1, ... low + left
    while (__any_sync(kFullWarp, left > 0)) {
        const unsigned step = (left + kTries - 1) / kTries;
        const unsigned ahead = step * (my_try + 1) - 1;  // the last place of my part
        bool beyond = ahead >= left;
        if (!beyond) {
            const unsigned middle = low + ahead;
            beyond =
                words[Layout::place_of(end_b - middle)] < words[Layout::place_of(runs.a + middle)];
        }
        const unsigned votes = __ballot_sync(kFullWarp, beyond);
        // The parts before the cut: those of the tries that are not beyond it.
        const unsigned before = __popc(~votes & (lane < kTries ? 0x0000ffffu : 0xffff0000u));
        const unsigned passed = min(step * before, left);
        low += passed;
        left = before < kTries ? min(left - passed, step - 1) : 0;
    }
    return low;
}

/// Loads the window that is `count` words of the merge of two runs, from diagonal `first` on, as a
/// bitonic sequence: those of a ascending, then kLast as often as there is room, then those of b
/// descending. Striped.
template <class Layout, int kKeys, class Word>
__device__ void load_window(Word (&word)[kKeys], const Word* words, Runs runs, unsigned first,
                            unsigned count) {
    const int lane = static_cast<int>(threadIdx.x % kWarpSize);
    constexpr int kWindow = kKeys * kWarpSize;
    const unsigned cut = window_cuts<Layout>(words, runs, first, first + count);
    const unsigned begin_a = __shfl_sync(kFullWarp, cut, 0);
    const unsigned count_a = __shfl_sync(kFullWarp, cut, kWarpSize - 1) - begin_a;
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
        load_window<InTile<Word>>(word, tile, {begin, run, begin + run, run}, out - begin,
                                  S::kWindow);
        __syncthreads();  // all have read before a window is written again
        clean_window(word, tile, out);
    }
}

/// Stores a striped window: the lane's first word to words[first], nothing from `end` on.
template <int kKeys, class Word>
__device__ void store_window(const Word (&word)[kKeys], Word* words, unsigned first, unsigned end) {
    Word* const mine = words + first;
    const int room = static_cast<int>(end - first);
    if (__all_sync(kFullWarp, room > (kKeys - 1) * kWarpSize)) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) mine[i * kWarpSize] = word[i];
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (i * kWarpSize < room) mine[i * kWarpSize] = word[i];
        }
    }
}

/// The same, as keys and values.
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

/// Loads a window of keys as words, striped: the lane's first key is keys[first]; kLast from n on.
template <int kKeys, class Word>
__device__ void load_keys(Word (&word)[kKeys], const std::uint32_t* keys, unsigned first,
                          unsigned n, KeyType type) {
    const std::uint32_t* const mine = keys + first;
    const int room = static_cast<int>(n) - static_cast<int>(first);
    const bool whole = __all_sync(kFullWarp, room > (kKeys - 1) * kWarpSize);
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
            order[i] = order_of_bits(static_cast<std::uint32_t>(order[i]), type);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const bool there = whole || static_cast<int>(i) * kWarpSize < room;
        word[i] = there ? word_of<Word>(order[i], first + i * kWarpSize) : kLast<Word>;
    }
}

/// Loads and sorts the tile of keys that begins at `begin`; afterwards the tile's words are
/// striped, a window a warp. Keeps a copy of the values.
template <class S>
__device__ void load_and_sort(typename S::Word (&word)[S::kKeys], typename S::Word* tile,
                              const std::uint32_t* keys, const std::uint32_t* values,
                              std::uint32_t* old_values, unsigned begin, unsigned n, KeyType type) {
    using Word = typename S::Word;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned first = begin + out + threadIdx.x % kWarpSize;
    load_keys(word, keys, first, n, type);
    if constexpr (kHasValue<Word>) {
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            const unsigned at = first + i * kWarpSize;
            if (at < n) old_values[at] = values[at];
        }
    }
    sort_tile<S>(word, tile);
    to_striped(word, tile, out);
}

/// What allows a kernel more than 48 KB of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

}  // namespace tutorial
