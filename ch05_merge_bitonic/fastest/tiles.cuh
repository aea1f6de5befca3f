// A block sorts a tile of keys, as merge_tiles does, but by the windows of windows.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"
#include "pack.cuh"
#include "windows.cuh"

namespace sorting {

// ---- A block sorts a tile --------------------------------------------------------------------

/// Sorts the first `used` keys of a tile, a multiple of the window; they lie striped in the warps'
/// registers, in any order, kLast past the end. Striped afterwards. Windows are sorted in
/// registers, and then merged in pairs, pairs of pairs...
template <class S>
__device__ void sort_tile(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile,
                          unsigned used) {
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
            load_window<true>(key, tile, runs, out - begin, S::kWindow);
        }
        __syncthreads();  // all have read before a window is written again
        if (merges) clean_window(key, tile, out);
    }
    if (mine) to_striped(key, tile, out);
}

/// The sum of the counts of the block's threads before this one; `all`: of the first kWarps warps.
/// Other threads have counts of zero. `of_warp` must not be in use.
template <unsigned kWarps>
__device__ unsigned sum_before(unsigned count, unsigned (&of_warp)[kWarps], unsigned& all) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    unsigned sum = count;
#pragma unroll
    for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
        const unsigned below = __shfl_up_sync(kFullMask, sum, distance);
        if (lane >= distance) sum += below;
    }
    if (warp < kWarps && lane == kWarpSize - 1) of_warp[warp] = sum;
    __syncthreads();  // the sums of all warps are there
    all = 0;
#pragma unroll
    for (unsigned i = 0; i < kWarps; ++i) {
        if (i == warp) sum += all;
        all += of_warp[i];
    }
    return sum - count;
}

// ---- Loading and storing a window ------------------------------------------------------------

/// Loads a window of keys, from index `begin` on; kLast from `end` on. Striped.
template <int kKeys, class SortKey, class From>
__device__ void load_keys(SortKey (&key)[kKeys], const From& from, unsigned begin, unsigned end) {
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = begin + i * kWarpSize + threadIdx.x % kWarpSize;
        key[i] = at < end ? load_key<SortKey>(from, at) : kLast<SortKey>;
    }
}

/// Stores a striped window, from to[begin] on; nothing from `end` on.
template <int kKeys, class SortKey>
__device__ void store_window(const SortKey (&key)[kKeys], SortKey* to, unsigned begin,
                             unsigned end) {
    SortKey* const mine = to + begin + threadIdx.x % kWarpSize;
    const int room = static_cast<int>(end - begin - threadIdx.x % kWarpSize);
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        if (i * kWarp < room) mine[i * kWarp] = key[i];
    }
}

/// Unpacks a striped window, from index `begin` on; nothing from `end` on.
template <int kKeys, class SortKey>
__device__ void store_sorted_window(const SortKey (&key)[kKeys], const Arrays& output,
                                    unsigned begin, unsigned end) {
    if (!kHasValue<SortKey> && output.type == KeyType::signed_int) {
        return store_window(key, reinterpret_cast<SortKey*>(output.keys), begin, end);
    }
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = begin + i * kWarpSize + threadIdx.x % kWarpSize;
        if (at < end) output.store(key[i], at);
    }
}

}  // namespace sorting
