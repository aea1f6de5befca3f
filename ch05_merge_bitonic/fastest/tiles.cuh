// A block sorts a tile of keys, as merge_tiles does, but by the windows of windows.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../../common/harness/device_info.hpp"
#include "pack.cuh"
#include "windows.cuh"

namespace sorting {

// ---- A block sorts a tile, and the ways in and out -------------------------------------------

/// Sorts the first `used` keys of a tile, a multiple of the window; they lie striped in the warps'
/// registers, in any order, kLast past the end. Blocked afterwards. Windows are sorted in
/// registers, and then merged in pairs, pairs of pairs...
template <class S>
__device__ void sort_tile(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile,
                          unsigned used) {
    using SortKey = typename S::SortKey;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const bool mine = out < used;
    if (mine) sort_warp(key, tile, out);
#pragma unroll 1
    for (unsigned run = S::kWindow; run < used; run *= 2) {
        if (mine) store_blocked(key, tile, out);
        __syncthreads();  // the windows are written before others read them
        const unsigned begin = out & ~(2 * run - 1);
        const bool merges = mine && begin + run < used;  // else the run has no partner
        if (merges) {
            const Runs runs = {begin, run, begin + run, min(run, used - begin - run)};
            load_window<PaddedLayout<SortKey>, S::kTile / 2>(key, tile, runs, out - begin,
                                                             S::kWindow);
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

/// Loads a window of keys and packs them, from index `begin` on; kLast from n on. Striped.
template <int kKeys, class SortKey>
__device__ void load_keys(SortKey (&key)[kKeys], const Arrays& input, unsigned begin, unsigned n) {
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = begin + i * kWarpSize + threadIdx.x % kWarpSize;
        key[i] = at < n ? input.load<SortKey>(at) : kLast<SortKey>;
    }
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

}  // namespace sorting
