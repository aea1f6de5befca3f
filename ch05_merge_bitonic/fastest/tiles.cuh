// A block sorts a tile of keys, as merge_tiles does, but by the windows of windows.cuh. One block
// that sorts all of few keys is sample_best's first case.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../../common/harness/device_info.hpp"
#include "pack.cuh"
#include "windows.cuh"

namespace sorting {

// ---- A block sorts a tile, and the ways in and out -------------------------------------------

/// Sorts a tile that lies striped in the warps' registers, in any order, kLast past the end;
/// blocked afterwards. Windows are sorted in registers, and then merged in pairs, pairs of pairs...
/// Without kWhole only the first `used` keys, a multiple of the window.
template <class S, bool kWhole = true>
__device__ void sort_tile(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile,
                          unsigned used = S::kTile) {
    using SortKey = typename S::SortKey;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const bool mine = kWhole || out < used;
    if (mine) sort_warp(key, tile, out);
#pragma unroll 1
    for (unsigned run = S::kWindow; run < (kWhole ? S::kTile : used); run *= 2) {
        if (mine) store_blocked(key, tile, out);
        __syncthreads();  // the windows are written before others read them
        const unsigned begin = out & ~(2 * run - 1);
        const bool merges = kWhole || (mine && begin + run < used);  // else it has no partner
        if (merges) {
            const unsigned count = kWhole ? run : min(run, used - begin - run);
            load_window<PaddedLayout<SortKey>, S::kTile / 2>(
                key, tile, {begin, run, begin + run, count}, out - begin, S::kWindow);
        }
        __syncthreads();  // all have read before a window is written again
        if (merges) clean_window(key, tile, out);
    }
}

/// Stores a striped window: the lane's first key to to[first], nothing from `end` on.
template <int kKeys, class SortKey>
__device__ void store_window(const SortKey (&key)[kKeys], SortKey* to, unsigned first,
                             unsigned end) {
    SortKey* const mine = to + first;
    const int room = static_cast<int>(end - first);
    if (__all_sync(kFullMask, room > (kKeys - 1) * kWarp)) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) mine[i * kWarp] = key[i];
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (i * kWarp < room) mine[i * kWarp] = key[i];
        }
    }
}

/// Is it the address of a vector?
__device__ inline bool is_aligned(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// Stores a blocked window, through the window of `tile` at `begin`: its first key to
/// to[first], nothing from `end` on. In vectors, where it is whole and lies at one.
template <int kKeys, class SortKey>
__device__ void store_blocked_window(const SortKey (&key)[kKeys], SortKey* tile, unsigned begin,
                                     SortKey* to, unsigned first, unsigned end) {
    constexpr unsigned kWindow = kKeys * kWarpSize;
    const unsigned lane = threadIdx.x % kWarpSize;
    store_blocked(key, tile, begin);
    __syncwarp();  // written by other lanes than will read
    if (first < end && end - first >= kWindow && is_aligned(to + first)) {
        constexpr unsigned kStep = kWarpSize * kKeysPerVector<SortKey>;
        const SortKey* const from =
            tile + padded_index<SortKey>(begin + lane * kKeysPerVector<SortKey>);
        SortKey* const target = to + first + lane * kKeysPerVector<SortKey>;
#pragma unroll
        for (unsigned i = 0; i < kKeys / kKeysPerVector<SortKey>; ++i) {
            SortKey vector[kKeysPerVector<SortKey>];
            load_vector(vector, from + i * padded_index<SortKey>(kStep));
            store_vector(vector, target + i * kStep);
        }
        return;
    }
    SortKey striped[kKeys];
    load_striped(striped, tile, begin);
    store_window(striped, to, first + lane, end);
}

/// Unpacks a striped window: the lane's first to index `first`, nothing from
/// `end` on.
template <int kKeys, class SortKey>
__device__ void store_sorted_window(SortKey (&key)[kKeys], unsigned first, unsigned end,
                                    const Arrays& output) {
    if (!kHasValue<SortKey> && output.type == KeyType::signed_int) {
        store_window(key, reinterpret_cast<SortKey*>(output.keys), first, end);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = first + i * kWarpSize;
        if (at < end) output.store(key[i], at);
    }
}

/// Unpacks a blocked window, through the window of `tile` at `begin`: its first
/// to index `first`, nothing from `end` on.
template <int kKeys, class SortKey>
__device__ void store_sorted_blocked_window(SortKey (&key)[kKeys], SortKey* tile, unsigned begin,
                                            unsigned first, unsigned end, const Arrays& output) {
    if constexpr (!kHasValue<SortKey>) {
        if (output.type == KeyType::signed_int) {
            SortKey* const keys = reinterpret_cast<SortKey*>(output.keys);
            store_blocked_window(key, tile, begin, keys, first, end);
            return;
        }
    }
    to_striped(key, tile, begin);
    store_sorted_window(key, first + threadIdx.x % kWarpSize, end, output);
}

/// Loads a window of keys and packs them, from index `begin` on, in any order; kLast from n on.
/// kInVectors: in vectors where they lie at one. A kernel with few registers left does without.
template <bool kInVectors, int kKeys, class SortKey>
__device__ void load_keys(SortKey (&key)[kKeys], const Arrays& input, unsigned begin, unsigned n) {
    const unsigned lane = threadIdx.x % kWarpSize;
    if constexpr (kInVectors && !kHasValue<SortKey>) {
        const bool whole = begin < n && n - begin >= kKeys * kWarpSize;
        if (input.type == KeyType::signed_int && whole && is_aligned(input.keys + begin)) {
            const SortKey* const from =
                reinterpret_cast<const SortKey*>(input.keys) + begin + lane * 4;
#pragma unroll
            for (unsigned i = 0; i < kKeys; i += 4) load_vector(key + i, from + i * kWarpSize);
            return;
        }
    }
    const unsigned first = begin + lane;
    const std::uint32_t* const mine = input.keys + first;
    const int room = static_cast<int>(n) - static_cast<int>(first);
    const bool whole = __all_sync(kFullMask, room > (kKeys - 1) * kWarp);
    int ordered[kKeys];
    if (whole) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) ordered[i] = static_cast<int>(mine[i * kWarp]);
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            ordered[i] = i * kWarp < room ? static_cast<int>(mine[i * kWarp]) : 0;
        }
    }
    std::uint32_t value[kKeys] = {};
    if constexpr (kHasValue<SortKey>) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (i * kWarp < room) value[i] = input.values[first + i * kWarp];
        }
    }
    if (input.type != KeyType::signed_int) {
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            ordered[i] = ordered_int_of_bits(static_cast<std::uint32_t>(ordered[i]), input.type);
        }
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        const bool there = whole || i * kWarp < room;
        key[i] = there ? make_sort_key<SortKey>(ordered[i], value[i]) : kLast<SortKey>;
    }
}

/// Loads and sorts the tile of keys that begins at `begin`; afterwards the tile's keys are
/// blocked, a window per warp. kInVectors: as for load_keys().
template <bool kInVectors, class S>
__device__ void load_and_sort(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile,
                              const Arrays& input, unsigned begin, unsigned n) {
    load_keys<kInVectors>(key, input, begin + threadIdx.x / kWarpSize * S::kWindow, n);
    sort_tile<S>(key, tile);
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
    return static_cast<unsigned>(per_sm * device_info().sm_count);
}

// ---- Few keys: one block ---------------------------------------------------------------------

/// Sorts n keys, no more than a tile, by one block.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_tile_kernel(Arrays arrays, unsigned n) {
    using SortKey = typename S::SortKey;
    SortKey* const tile = shared_tile<SortKey>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    SortKey key[S::kKeys];
    load_and_sort<true, S>(key, tile, arrays, 0, n);
    store_sorted_blocked_window(key, tile, out, out, n, arrays);
}

template <class S>
void sort_one_tile(SortParams<typename S::SortKey> params) {
    if (params.n == 0) return;
    allow_shared(sort_tile_kernel<S>, S::kBytes);
    sort_tile_kernel<S>
        <<<1, S::kThreads, S::kBytes>>>(arrays_of(params), static_cast<unsigned>(params.n));
    CUDA_CHECK_LAUNCH();
}

}  // namespace sorting
