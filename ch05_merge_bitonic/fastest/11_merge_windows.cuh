// merge_windows: a network merges. From merge_tiles, in main.cu: the tiles.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"
#include "../merging.hpp"
#include "../tile_sizes.hpp"

namespace sorting {

constexpr unsigned kWindowKeys = 16;  // keys per lane
constexpr unsigned kWindow = kWarpSize * kWindowKeys;

// merge_windows: a warp merges 512 keys of two runs by half-cleaners, after the tiles of
// merge_tiles: one run's keys ascending, then the other's descending, are a bitonic sequence.
// Removes: the serial merge, which waits for shared memory at each key; the sweeps' barriers.
// Remains: a sweep per level; a shuffle per key for five of nine steps; a search in global memory
// for each window.
template <class SortKey>
__global__ void merge_windows_kernel(const SortKey* from, SortKey* to, unsigned n, unsigned run) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize * kWindow;
    if (out >= n) return;  // the whole warp
    const unsigned begin = out / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    const unsigned count = min(kWindow, end - out);
    // Lane 0 finds where the window begins in the first run, the others find where it ends.
    const unsigned diagonal = out - begin + (lane == 0 ? 0 : count);
    const unsigned cut =
        merge_path_cut(from + begin, middle - begin, from + middle, end - middle, diagonal);
    const unsigned first_a = __shfl_sync(kFullMask, cut, 0);
    const unsigned count_a = __shfl_sync(kFullMask, cut, 1) - first_a;
    const SortKey* a = from + begin + first_a;
    const SortKey* b = from + middle + (out - begin - first_a);
    SortKey key[kWindowKeys];
#pragma unroll
    for (unsigned k = 0; k < kWindowKeys; ++k) {
        const unsigned at = k * kWarpSize + lane;
        key[k] = kLast<SortKey>;  // the peak of the bitonic sequence, if the window is not full
        if (at < count_a) key[k] = a[at];
        if (kWindow - 1 - at < count - count_a) key[k] = b[kWindow - 1 - at];
    }
#pragma unroll
    for (unsigned distance = kWindowKeys / 2; distance > 0; distance /= 2) {  // in rows of 32 keys
#pragma unroll
        for (unsigned k = 0; k < kWindowKeys; ++k) {
            if ((k & distance) == 0) compare_exchange(key[k], key[k + distance]);
        }
    }
    for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2) {  // within a row
        const bool lower = (lane & distance) == 0;
#pragma unroll
        for (unsigned k = 0; k < kWindowKeys; ++k) {
            const SortKey other = __shfl_xor_sync(kFullMask, key[k], distance);
            key[k] = (other < key[k]) == lower ? other : key[k];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < kWindowKeys; ++k) {
        const unsigned at = k * kWarpSize + lane;
        if (at < count) to[out + at] = key[k];
    }
}

template <class SortKey>
SortKey* merge_windows(SortKey* keys, SortKey* spare, unsigned n) {
    static_assert(2 * kTile % kWindow == 0, "a window lies within one pair of runs");
    if (n == 0) return keys;
    auto [from, to] = first_buffers(keys, spare, n, kTile);
    merge_tiles_kernel<<<divide_up(n, kTile), kMergeThreads>>>(keys, from, n);
    CUDA_CHECK_LAUNCH();
    const unsigned warps = divide_up(n, kWindow);
    for (unsigned run = kTile; run < n; run *= 2) {
        merge_windows_kernel<<<divide_up(warps * kWarpSize, kMergeThreads), kMergeThreads>>>(
            from, to, n, run);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return keys;
}

}  // namespace sorting
