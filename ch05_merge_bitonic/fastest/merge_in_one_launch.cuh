// sample_best for so few keys that a sample does not pay. One block sorts what its tile holds; more
// keys are sorted in tiles, which are merged in pairs, all in one cooperative launch. From the
// ladder: the levels of merge_windows. New: no launches between them.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../common/harness/cooperative_launch.hpp"
#include "interpolation.cuh"
#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- One block -------------------------------------------------------------------------------

/// Sorts n keys, no more than a tile.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_tile_kernel(Arrays arrays, unsigned n) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned used = (n + S::kWindow - 1) / S::kWindow * S::kWindow;
    typename S::SortKey key[S::kKeys];
    load_keys(key, arrays, out, n);
    sort_block<S>(key, used);
    if (out < used) {
        store_sorted_blocked_window(key, Interpolation<S>::get().tile, out, out, n, arrays);
    }
}

template <class S>
void sort_one_tile(SortParams<typename S::SortKey> params) {
    if (params.n == 0) return;
    allow_shared(sort_tile_kernel<S>, sizeof(Interpolation<S>));
    sort_tile_kernel<S><<<1, S::kThreads, sizeof(Interpolation<S>)>>>(
        arrays_of(params), static_cast<unsigned>(params.n));
    CUDA_CHECK_LAUNCH();
}

// ---- One launch ------------------------------------------------------------------------------

/// Merges n keys in sorted runs of `run` in pairs, a window per warp; of the windows' tiles the
/// block takes `first`, `first` + `step`... The last level's result is unpacked.
template <class S>
__device__ void merge_level(typename S::SortKey* tile, const typename S::SortKey* from,
                            typename S::SortKey* to, unsigned n, unsigned run, unsigned first,
                            unsigned step, const Arrays& output) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    typename S::SortKey key[S::kKeys];
    for (unsigned at = first * S::kTile + out; at < n; at += step * S::kTile) {
        const unsigned begin = at & ~(2 * run - 1);
        const unsigned middle = min(begin + run, n);
        const unsigned end = min(begin + 2 * run, n);
        const Runs runs = {begin, middle - begin, middle, end - middle};
        load_window<LinearLayout, 0>(key, from, runs, at - begin, min(S::kWindow, end - at));
        clean_window(key, tile, out);
        to_striped(key, tile, out);
        if (2 * run >= n) {
            store_sorted_window(key, at + lane, end, output);
        } else {
            store_window(key, to, at + lane, end);
        }
        __syncwarp();  // the window has been read before it is written again
    }
}

/// Tiles are sorted, and then merged in pairs, all in one launch: the blocks, all of which run at
/// the same time, wait for each other between the levels. For keys that stay in the L2 cache, so
/// that a sweep costs less than a launch.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_grid_kernel(Arrays arrays, unsigned n, typename S::SortKey* from,
                      typename S::SortKey* to) {
    using SortKey = typename S::SortKey;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    SortKey* const tile = shared_tile<SortKey>();
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    SortKey key[S::kKeys];
    for (unsigned begin = blockIdx.x * S::kTile; begin < n; begin += gridDim.x * S::kTile) {
        load_keys(key, arrays, begin + out, n);
        sort_block<S>(key, S::kTile);
        to_striped(key, tile, out);
        store_window(key, from, begin + out + lane, n);
    }
    for (unsigned run = S::kTile; run < n; run *= 2) {
        grid.sync();  // the runs are stored before other blocks read them
        merge_level<S>(tile, from, to, n, run, blockIdx.x, gridDim.x, arrays);
        SortKey* const other = from;
        from = to;
        to = other;
    }
}

/// How often runs of `run` keys must be merged in pairs until there is one.
inline int levels_above(std::size_t n, std::size_t run) {
    int levels = 0;
    for (; run < n; run *= 2) ++levels;
    return levels;
}

/// One launch for n keys of more than one tile.
template <class S>
void merge_in_one_launch(SortParams<typename S::SortKey> params) {
    using SortKey = typename S::SortKey;
    if (params.n <= S::kTile) return sort_one_tile<S>(params);
    constexpr std::size_t kBytes = sizeof(Interpolation<S>);
    static const unsigned resident = resident_blocks(merge_grid_kernel<S>, S::kThreads, kBytes);
    unsigned n = static_cast<unsigned>(params.n);
    // The last level must not unpack to where it reads, and ints are packed in the memory of the
    // keys.
    const bool odd = levels_above(n, S::kTile) % 2 != 0;
    SortKey* from = odd ? params.spare : params.packed;
    SortKey* to = odd ? params.packed : params.spare;
    Arrays arrays = arrays_of(params);
    void* arguments[] = {&arrays, &n, &from, &to};
    // Cooperative: all blocks run at once, or none does. Blocks that wait for each other need it.
    CUDA_CHECK(launch_cooperatively(merge_grid_kernel<S>,
                                    dim3(std::min(divide_up(n, S::kTile), resident)),
                                    dim3(S::kThreads), arguments, kBytes));
}

/// In the least tile that holds them all, or merged in one launch.
template <class SortKey>
void few_keys(SortParams<SortKey> params) {
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        if (params.n <= Shapes::Tiny::kTile) {
            sort_one_tile<typename Shapes::Tiny>(params);
        } else if (params.n <= Shapes::Small::kTile) {
            sort_one_tile<typename Shapes::Small>(params);
        } else if (params.n <= Shapes::Bucket::kTile) {
            sort_one_tile<typename Shapes::Bucket>(params);
        } else {
            merge_in_one_launch<typename Shapes::Small>(params);
        }
    });
}

}  // namespace sorting
