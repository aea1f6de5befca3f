// What a thread, a warp and a block do with the keys in their registers: the parts of which
// bitonic_best and sample_best are made.
//
// From other stages: half-cleaners and compare-exchange, the merge path, and the window of
// merge_windows, a bitonic sequence that a warp sorts. New here: no shuffles between most steps of
// a window, since its keys are exchanged through shared memory once; vectors of 16 bytes; a search
// for the cuts by all lanes; the sort of a warp's keys.
//
// A *window* is what a warp holds: kKeys keys per thread. It is held *striped* when key
// r * 32 + lane is in register r of that lane, and *blocked* when key lane * kKeys + r is.
// Registers must be numbered by constants, so all loops over them are unrolled.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../../common/harness/launch_bounds.hpp"
#include "../keys.hpp"

namespace sorting {

// ---- A thread's registers, and a warp's ------------------------------------------------------

constexpr int kWarp = static_cast<int>(kWarpSize);  // among indices that are signed

/// 1, but the compiler cannot know that: see greater_of().
__constant__ unsigned kOne = 1;

/// The other one of `a` and `b`, where `least` is one of them: a + b - least, half by half. A
/// comparison, and a choice between two keys, use the pipe that a network waits for; the pipe that
/// multiplies is idle. If it knew the factor 1, the compiler would add on the busy one.
__device__ inline KeyValue greater_of(KeyValue a, KeyValue b, KeyValue least) {
    const auto low = [](KeyValue key) { return static_cast<unsigned>(key); };
    const auto high = [](KeyValue key) { return static_cast<unsigned>(key >> 32); };
    const unsigned sum_low = (low(a) - low(least)) * kOne + low(b);
    const unsigned sum_high = (high(a) - high(least)) * kOne + high(b);
    return static_cast<KeyValue>(static_cast<unsigned long long>(sum_high) << 32 | sum_low);
}

/// As compare_exchange() of merging.hpp. 32 bits have instructions for min and max; 64 bits are
/// compared once, and with `multiply` the greater is found by greater_of().
__device__ inline void compare_exchange(int& low, int& high, bool) {
    const int least = min(low, high);
    high = max(low, high);
    low = least;
}
__device__ inline void compare_exchange(KeyValue& low, KeyValue& high, bool multiply) {
    const bool exchange = high < low;
    const KeyValue least = exchange ? high : low;
    const KeyValue greater = exchange ? low : high;
    high = multiply ? greater_of(low, high, least) : greater;
    low = least;
}

/// Half-cleaners between a thread's registers, of distance kKeys / 2, then half of that, ... 1;
/// those beyond max_distance are left out.
template <int kKeys, class SortKey>
__device__ void clean_registers(SortKey (&key)[kKeys], unsigned max_distance = kKeys) {
#pragma unroll
    for (unsigned distance = kKeys / 2; distance > 0; distance /= 2) {
        if (distance > max_distance) continue;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            if ((i & distance) == 0) compare_exchange(key[i], key[i + distance], i % 2 != 0);
        }
    }
}

/// Sorts a thread's registers: the odd-even merge sort (Batcher, 1968), which needs fewer
/// comparisons than the bitonic sort; for any number of keys. This is its step of distance
/// kDistance from sorted runs of kRun to runs twice as long, and all that follow.
template <int kRun = 1, int kDistance = 1, int kKeys, class SortKey>
__device__ void sort_registers(SortKey (&key)[kKeys]) {
    constexpr int kFirst = kDistance % kRun;
#pragma unroll
    for (int i = kFirst; i + kDistance < kKeys; ++i) {
        const bool is_lower = (i - kFirst) % (2 * kDistance) < kDistance;
        const bool in_one_run = i / (2 * kRun) == (i + kDistance) / (2 * kRun);
        if (is_lower && in_one_run) {
            compare_exchange(key[i], key[i + kDistance], i % 2 != 0);
        }
    }
    if constexpr (kDistance > 1) {
        sort_registers<kRun, kDistance / 2>(key);
    } else if constexpr (2 * kRun < kKeys) {
        sort_registers<2 * kRun, 2 * kRun>(key);
    }
}

/// Keeps the lesser of the two keys in the lower lane, the greater in the upper one.
template <class SortKey>
__device__ SortKey keep(SortKey mine, SortKey other, bool lower) {
    return (mine < other) == lower ? mine : other;
}

/// Half-cleaners between lanes `distance`, then `distance` / 2, ... 1 apart; blocked.
template <int kKeys, class SortKey>
__device__ void clean_lanes(SortKey (&key)[kKeys], int distance) {
#pragma unroll 1
    for (; distance > 0; distance /= 2) {
        const bool lower = (threadIdx.x & distance) == 0;
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            key[i] = keep(key[i], __shfl_xor_sync(kFullMask, key[i], distance), lower);
        }
    }
}

// ---- Windows in shared memory ----------------------------------------------------------------

/// Keys in a row of banks, 128 bytes.
template <class SortKey>
constexpr unsigned kBankRow = 128 / sizeof(SortKey);

/// Keys in a vector of 16 bytes, the most that a thread can read or write at once.
template <class SortKey>
constexpr unsigned kKeysPerVector = 16 / sizeof(SortKey);

/// The position of key i of a tile in shared memory: one vector is left free after each row, so
/// that the vectors of eight neighbouring threads, each with kKeys keys, are in different banks.
template <class SortKey>
__host__ __device__ constexpr unsigned padded_index(unsigned i) {
    return i + i / kBankRow<SortKey> * kKeysPerVector<SortKey>;
}

/// Bytes of shared memory for a tile of this many keys.
template <class SortKey>
constexpr std::size_t tile_bytes(unsigned keys) {
    return sizeof(SortKey) * padded_index<SortKey>(keys);
}

/// How far apart in the tile a thread's keys of a striped window are.
template <class SortKey>
constexpr unsigned kStripe = padded_index<SortKey>(kWarpSize);

/// Keys as one vector, in one read or write.
__device__ inline void store_vector(const int* key, int* to) {
    *reinterpret_cast<int4*>(to) = make_int4(key[0], key[1], key[2], key[3]);
}
__device__ inline void store_vector(const KeyValue* key, KeyValue* to) {
    *reinterpret_cast<longlong2*>(to) = make_longlong2(key[0], key[1]);
}
__device__ inline void load_vector(int* key, const int* from) {
    const int4 vector = *reinterpret_cast<const int4*>(from);
    key[0] = vector.x;
    key[1] = vector.y;
    key[2] = vector.z;
    key[3] = vector.w;
}
__device__ inline void load_vector(KeyValue* key, const KeyValue* from) {
    const longlong2 vector = *reinterpret_cast<const longlong2*>(from);
    key[0] = vector.x;
    key[1] = vector.y;
}

template <int kKeys, class SortKey>
__device__ void store_blocked(const SortKey (&key)[kKeys], SortKey* tile, unsigned begin) {
    SortKey* const block = tile + padded_index<SortKey>(begin + threadIdx.x % kWarpSize * kKeys);
#pragma unroll
    for (unsigned i = 0; i < kKeys; i += kKeysPerVector<SortKey>) {
        store_vector(key + i, block + padded_index<SortKey>(i));
    }
}

template <int kKeys, class SortKey>
__device__ void load_blocked(SortKey (&key)[kKeys], const SortKey* tile, unsigned begin) {
    const SortKey* const block =
        tile + padded_index<SortKey>(begin + threadIdx.x % kWarpSize * kKeys);
#pragma unroll
    for (unsigned i = 0; i < kKeys; i += kKeysPerVector<SortKey>) {
        load_vector(key + i, block + padded_index<SortKey>(i));
    }
}

template <int kKeys, class SortKey>
__device__ void store_striped(const SortKey (&key)[kKeys], SortKey* tile, unsigned begin) {
    SortKey* const first = tile + padded_index<SortKey>(begin + threadIdx.x % kWarpSize);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) first[i * kStripe<SortKey>] = key[i];
}

template <int kKeys, class SortKey>
__device__ void load_striped(SortKey (&key)[kKeys], const SortKey* tile, unsigned begin) {
    const SortKey* const first = tile + padded_index<SortKey>(begin + threadIdx.x % kWarpSize);
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) key[i] = first[i * kStripe<SortKey>];
}

/// Sorts a bitonic window: striped before, blocked after. Half-cleaners whose distance is 32 or
/// more pair registers of a striped window, those below kKeys pair registers of a blocked one. The
/// warp uses the window of `tile` that begins at `begin` to get from one to the other; no other
/// warp may use it meanwhile. max_distance: as for clean_registers(), if there are several
/// sequences.
template <int kKeys, class SortKey>
__device__ void clean_window(SortKey (&key)[kKeys], SortKey* tile, unsigned begin,
                             unsigned max_distance = kKeys) {
    clean_registers(key, max_distance);
    store_striped(key, tile, begin);
    __syncwarp();  // lanes read what others wrote
    load_blocked(key, tile, begin);
    clean_lanes(key, kWarpSize / 2 / kKeys);
    clean_registers(key);
}

/// Turns blocked into striped, through the window of `tile` at `begin`, as above.
template <int kKeys, class SortKey>
__device__ void to_striped(SortKey (&key)[kKeys], SortKey* tile, unsigned begin) {
    store_blocked(key, tile, begin);
    __syncwarp();  // lanes read what others wrote
    load_striped(key, tile, begin);
}

// ---- A warp sorts a window -------------------------------------------------------------------

/// The bitonic network's level that merges runs of lanes / 2 lanes, by shuffles: the first step
/// compares each key of the lower run with its mirror image in the upper one. Blocked.
template <int kKeys, class SortKey>
__device__ void merge_by_shuffles(SortKey (&key)[kKeys], int lanes) {
    const bool lower = (threadIdx.x & (lanes / 2)) == 0;
#pragma unroll
    for (int i = 0; i < kKeys / 2; ++i) {
        const int mirror = kKeys - 1 - i;
        const SortKey to_first = __shfl_xor_sync(kFullMask, key[mirror], lanes - 1);
        const SortKey to_mirror = __shfl_xor_sync(kFullMask, key[i], lanes - 1);
        key[i] = keep(key[i], to_first, lower);
        key[mirror] = keep(key[mirror], to_mirror, lower);
    }
    clean_lanes(key, lanes / 4);
    clean_registers(key);
}

/// The same level through the window of `tile` at `begin`: the upper runs are read backwards, the
/// steps of distance 32 and more pair registers of a striped window, the others those of a blocked
/// one.
template <int kKeys, class SortKey>
__device__ void merge_by_window(SortKey (&key)[kKeys], int lanes, SortKey* tile, unsigned begin) {
    const unsigned run_rows = kKeys * lanes / 2 / kWarpSize;  // a run, in rows of 32 keys
    const unsigned lane = threadIdx.x % kWarpSize;
    store_blocked(key, tile, begin);
    __syncwarp();  // lanes read what others wrote
    const SortKey* const forwards = tile + padded_index<SortKey>(begin + lane);
    const SortKey* const backwards = tile + padded_index<SortKey>(begin + kWarpSize - 1 - lane);
    const auto row = [](const SortKey* from, unsigned i) { return from[i * kStripe<SortKey>]; };
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        key[i] = (i & run_rows) == 0 ? row(forwards, i) : row(backwards, i ^ (run_rows - 1));
    }
    __syncwarp();  // all have read before the window is written again
    clean_window(key, tile, begin, run_rows);
}

/// Sorts a warp's keys; blocked. Each thread sorts its own, then runs of 2, 4, ... 32 lanes are
/// merged. The warp uses the window of `tile` at `begin`.
template <int kKeys, class SortKey>
__device__ void sort_warp(SortKey (&key)[kKeys], SortKey* tile, unsigned begin) {
    sort_registers(key);
#pragma unroll
    for (int lanes = 2; lanes <= kWarp; lanes *= 2) {
        if (lanes <= 4 || kKeys * lanes < 2 * kWarp) {
            merge_by_shuffles(key, lanes);
        } else {
            merge_by_window(key, lanes, tile, begin);
        }
    }
}

// ---- What a block works on -------------------------------------------------------------------

/// A block's shape: kWarps windows of 32 * kKeys keys, a tile of kTile keys.
template <class SortKeyType, int kKeysPerThread, int kWarpsPerBlock>
struct Shape {
    using SortKey = SortKeyType;
    static constexpr int kKeys = kKeysPerThread;
    static constexpr unsigned kWarps = kWarpsPerBlock;
    static constexpr unsigned kThreads = kWarps * kWarpSize;
    static constexpr unsigned kWindow = kKeys * kWarpSize;
    static constexpr unsigned kTile = kWarps * kWindow;
    static constexpr std::size_t kBytes = tile_bytes<SortKey>(kTile);
    /// Registers for all keys of a thread and about as many more; with only a few keys, what
    /// interpolation needs.
    static constexpr unsigned kWords = kKeys * sizeof(SortKey) / 4;
    static constexpr unsigned kByRegisters = 65536 / kThreads / (kWords > 8 ? kWords + 32 : 56);
    static constexpr unsigned kBlocks = kByRegisters > 0 ? blocks_bound(kByRegisters, kThreads) : 1;
};

/// The block's tile: kBytes of dynamic shared memory.
template <class SortKey>
__device__ SortKey* shared_tile() {
    extern __shared__ int4 shared_vectors[];  // aligned for any key, and for vectors
    return reinterpret_cast<SortKey*>(shared_vectors);
}

// ---- A warp merges a window ------------------------------------------------------------------

/// Two sorted runs of one array, at positions a and b.
struct Runs {
    unsigned a, count_a, b, count_b;
};

/// The position of key i of an array: in a tile in shared memory, or contiguous.
template <bool kInTile, class SortKey>
__device__ unsigned index_of(unsigned i) {
    return kInTile ? padded_index<SortKey>(i) : i;
}

/// merge_path_cut() for the diagonals where the warp's window begins and ends: lane 0 returns the
/// first, lane 31 the second. Each half-warp probes 16 places at a time, which takes a quarter of
/// the rounds of a binary search.
template <bool kInTile, class SortKey>
__device__ unsigned window_cuts(const SortKey* from, Runs runs, unsigned first, unsigned last) {
    constexpr unsigned kProbes = kWarpSize / 2;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned my_probe = lane % kProbes;
    const unsigned diagonal = lane < kProbes ? first : last;
    const unsigned my_half = lane < kProbes ? 0x0000ffffu : 0xffff0000u;
    const unsigned end_b = runs.b + diagonal - 1;
    unsigned low = diagonal - min(diagonal, runs.count_b);
    const unsigned high = min(diagonal, runs.count_a);  // the cut is low, low + 1, ... high
    unsigned left = high - low;
    while (__any_sync(kFullMask, left > 0)) {
        // Of the next kProbes parts of `step` places, those before the cut are passed.
        const unsigned step = max(divide_up(left, kProbes), 1u);
        const unsigned middle = low + step * (my_probe + 1) - 1;  // the last place of my part
        const bool beyond = middle >= high || from[index_of<kInTile, SortKey>(end_b - middle)] <
                                                  from[index_of<kInTile, SortKey>(runs.a + middle)];
        low += step * __popc(~__ballot_sync(kFullMask, beyond) & my_half);
        left = min(high - low, step - 1);
    }
    return low;
}

/// Loads the window that is `count` keys of the merge of two runs, from diagonal `first` on, as a
/// bitonic sequence: those of a ascending, then kLast as often as there is room, then those of b
/// descending. Striped.
template <bool kInTile, int kKeys, class SortKey>
__device__ void load_window(SortKey (&key)[kKeys], const SortKey* from, Runs runs, unsigned first,
                            unsigned count) {
    constexpr int kWindow = kKeys * kWarp;
    constexpr int kStride = kInTile ? kStripe<SortKey> : kWarpSize;
    const unsigned cut = window_cuts<kInTile>(from, runs, first, first + count);
    const unsigned begin_a = __shfl_sync(kFullMask, cut, 0);
    const unsigned count_a = __shfl_sync(kFullMask, cut, kWarpSize - 1) - begin_a;
    const int lane = static_cast<int>(threadIdx.x % kWarpSize);
    const SortKey* const a = from + index_of<kInTile, SortKey>(runs.a + begin_a + lane);
    const SortKey* const b =
        from + index_of<kInTile, SortKey>(runs.b + (first - begin_a) + kWindow - 1 - lane);
    // Key `at` of the window is one of a if at < until_a, and one of b if at >= from_b.
    const int until_a = static_cast<int>(count_a);
    const int from_b = kWindow - static_cast<int>(count - count_a);
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        key[i] = kLast<SortKey>;
        if (i * kWarp < until_a - lane) key[i] = a[i * kStride];
        if (i * kWarp >= from_b - lane) key[i] = *(b - i * kStride);
    }
}

}  // namespace sorting
