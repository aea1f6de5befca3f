// Sorting networks of a thread, a warp and a window, all in registers.
//
// A *window* is what a warp holds: kKeys words a thread. It is held *striped* when word
// r * 32 + lane is in register r of that lane, and *blocked* when word lane * kKeys + r is.
// Registers must be numbered by constants, so all loops over them are unrolled.
#pragma once

#include "words.cuh"

namespace tutorial {

/// 1, but the compiler cannot know: see greater_of().
__constant__ unsigned kOne = 1;

/// The other one of `a` and `b`, where `least` is one of them: a + b - least, half by half. A
/// choice between two words takes the pipe that also compares, and that is what a network waits
/// for; the pipe that multiplies is idle. With a factor of 1 the compiler would add on the busy
/// one.
__device__ inline PairWord greater_of(PairWord a, PairWord b, PairWord least) {
    const auto low = [](PairWord word) { return static_cast<unsigned>(word); };
    const auto high = [](PairWord word) { return static_cast<unsigned>(word >> 32); };
    const unsigned sum_low = (low(a) - low(least)) * kOne + low(b);
    const unsigned sum_high = (high(a) - high(least)) * kOne + high(b);
    return static_cast<PairWord>(static_cast<unsigned long long>(sum_high) << 32 | sum_low);
}

/// Afterwards `low` does not come after `high`. 32 bits have instructions for min and max; 64 bits
/// are compared once, and with `multiply` the greater is found by greater_of().
template <class Word>
__device__ void compare_exchange(Word& low, Word& high, bool multiply = false) {
    if constexpr (kHasValue<Word>) {
        const bool exchange = high < low;
        const Word least = exchange ? high : low;
        const Word chosen = exchange ? low : high;
        high = multiply ? greater_of(low, high, least) : chosen;
        low = least;
    } else {
        const Word least = min(low, high);
        high = max(low, high);
        low = least;
    }
}

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
            word[i] = keep(word[i], __shfl_xor_sync(kFullWarp, word[i], distance), lower);
        }
    }
}

// ---- Windows in shared memory ----------------------------------------------------------------

/// Words in a row of the banks, 128 bytes.
template <class Word>
constexpr unsigned kRow = 128 / sizeof(Word);

/// Where word i of a tile lies in shared memory: one word is left free after each row, so that the
/// threads of a warp find their blocks of kKeys words in different banks.
template <class Word>
__host__ __device__ constexpr unsigned place(unsigned i) {
    return i + i / kRow<Word>;
}

/// Bytes of shared memory for a tile of so many words.
template <class Word>
constexpr std::size_t tile_bytes(unsigned words) {
    return sizeof(Word) * (words + words / kRow<Word>);
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

template <int kKeys, class Word>
__device__ void store_blocked(const Word (&word)[kKeys], Word* tile, unsigned begin) {
    Word* const block = tile + blocked_place<kKeys, Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) block[place<Word>(i)] = word[i];
}

template <int kKeys, class Word>
__device__ void load_blocked(Word (&word)[kKeys], const Word* tile, unsigned begin) {
    const Word* const block = tile + blocked_place<kKeys, Word>(begin);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) word[i] = block[place<Word>(i)];
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
        const Word to_first = __shfl_xor_sync(kFullWarp, word[mirror], kLanes - 1);
        const Word to_mirror = __shfl_xor_sync(kFullWarp, word[i], kLanes - 1);
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

}  // namespace tutorial
