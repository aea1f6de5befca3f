// Tiles are sorted, and merged where there are several: by one block, a bucket of sample_best; or
// by all blocks in one cooperative launch, so few keys that a sample does not pay. From the ladder:
// the levels of merge_windows. New: no launches between them.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../common/harness/cooperative_launch.hpp"
#include "../../common/harness/programmatic_launch.hpp"
#include "interpolation.cuh"
#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

/// The blocks of a launch, or one block, that work together.
struct AllBlocks {
    __device__ unsigned index() const { return blockIdx.x; }
    __device__ unsigned count() const { return gridDim.x; }
    __device__ void sync() const { cooperative_groups::this_grid().sync(); }
};
struct OneBlock {
    __device__ unsigned index() const { return 0; }
    __device__ unsigned count() const { return 1; }
    __device__ void sync() const {
        __syncthreads();  // the runs are stored before other warps read them
    }
};

/// Merges sorted runs of `run` of the keys [begin, end) in pairs, a window per warp. The last
/// level's result is unpacked.
template <class S, class Blocks>
__device__ void merge_level(const typename S::SortKey* from, typename S::SortKey* to,
                            unsigned begin, unsigned end, unsigned run, const Arrays& output,
                            const Blocks& blocks) {
    typename S::SortKey* const tile = shared_tile<typename S::SortKey>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    typename S::SortKey key[S::kKeys];
    const unsigned step = blocks.count() * S::kTile;
    for (unsigned at = blocks.index() * S::kTile + out; at < end - begin; at += step) {
        const unsigned first = at & ~(2 * run - 1);
        const unsigned a = begin + first;
        const unsigned b = min(a + run, end);
        const Runs runs = {a, b - a, b, min(b + run, end) - b};
        const unsigned count = min(S::kWindow, runs.b + runs.count_b - begin - at);
        load_window<false>(key, from, runs, at - first, count);
        clean_window(key, tile, out);
        to_striped(key, tile, out);
        if (2 * run >= end - begin) {
            store_sorted_window(key, output, begin + at, end);
        } else {
            store_window(key, to, begin + at, end);
        }
    }
}

/// Sorts the keys [begin, end) of `input`, and unpacks them. Tiles are sorted; where there are
/// several they are stored in `packed` or `spare`, either of which may be where they have been, and
/// merged in pairs between these. The output's keys may share the memory of `packed`.
template <class S, bool kInterpolates, class Input, class Blocks>
__device__ void sort_and_merge(const Input& input, unsigned begin, unsigned end,
                               typename S::SortKey* packed, typename S::SortKey* spare,
                               const Arrays& output, const Blocks& blocks) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    bool in_spare = false;  // so that the last level does not read `packed`
    for (unsigned run = S::kTile; run < end - begin; run *= 2) in_spare = !in_spare;
    typename S::SortKey key[S::kKeys];
    const unsigned step = blocks.count() * S::kTile;
    for (unsigned at = blocks.index() * S::kTile; at < end - begin; at += step) {
        load_keys(key, input, begin + at + out, end);
        sort_block<S, kInterpolates>(key, min(end - begin - at, S::kTile));
        if (end - begin <= S::kTile) {
            store_sorted_window(key, output, begin + out, end);
        } else {
            store_window(key, in_spare ? spare : packed, begin + at + out, end);
        }
    }
    for (unsigned run = S::kTile; run < end - begin; run *= 2) {
        blocks.sync();
        merge_level<S>(in_spare ? spare : packed, in_spare ? packed : spare, begin, end, run,
                       output, blocks);
        in_spare = !in_spare;
    }
}

// ---- One block -------------------------------------------------------------------------------

/// Each block sorts a bucket of `moved`, and unpacks it: nearly always one tile. `packed` and
/// `spare`, of which `moved` is one, have room for all; the output's keys may share the memory of
/// `packed`. kInterpolates: by interpolation, where the bucket suits it.
template <class S, bool kInterpolates>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_buckets_kernel(const typename S::SortKey* moved, typename S::SortKey* packed,
                        typename S::SortKey* spare, const unsigned* begins, Arrays output) {
    grid_dependency_synchronize();
    const unsigned begin = begins[blockIdx.x];
    const unsigned end = begins[blockIdx.x + 1];
    sort_and_merge<S, kInterpolates>(moved, begin, end, packed, spare, output, OneBlock());
}

// ---- One launch ------------------------------------------------------------------------------

/// Sorts n keys by blocks that all run at the same time, and wait for each other between the
/// levels. For keys that stay in the L2 cache, so that a sweep costs less than a launch.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_grid_kernel(Arrays arrays, unsigned n, typename S::SortKey* packed,
                      typename S::SortKey* spare) {
    sort_and_merge<S, true>(arrays, 0, n, packed, spare, arrays, AllBlocks());
}

/// One launch for n keys.
template <class S>
void merge_in_one_launch(SortParams<typename S::SortKey> params) {
    constexpr std::size_t kBytes = sizeof(Interpolation<S>);
    static const unsigned resident = resident_blocks(merge_grid_kernel<S>, S::kThreads, kBytes);
    unsigned n = static_cast<unsigned>(params.n);
    if (n == 0) return;
    Arrays arrays = arrays_of(params);
    if (n <= S::kTile) {  // no block waits for another
        merge_grid_kernel<S><<<1, S::kThreads, kBytes>>>(arrays, n, params.packed, params.spare);
        CUDA_CHECK_LAUNCH();
        return;
    }
    void* arguments[] = {&arrays, &n, &params.packed, &params.spare};
    // Cooperative: all blocks run at once, or none does. Blocks that wait for each other need it.
    CUDA_CHECK(launch_cooperatively(merge_grid_kernel<S>,
                                    dim3(std::min(divide_up(n, S::kTile), resident)),
                                    dim3(S::kThreads), arguments, kBytes));
}

/// In the least tile that holds them all, or merged.
template <class SortKey>
void few_keys(SortParams<SortKey> params) {
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        if (params.n <= Shapes::Tiny::kTile) {
            merge_in_one_launch<typename Shapes::Tiny>(params);
        } else if (params.n > Shapes::Small::kTile && params.n <= Shapes::Bucket::kTile) {
            merge_in_one_launch<typename Shapes::Bucket>(params);
        } else {
            merge_in_one_launch<typename Shapes::Small>(params);
        }
    });
}

}  // namespace sorting
