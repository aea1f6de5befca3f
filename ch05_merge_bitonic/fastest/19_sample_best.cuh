// sample_best: small inputs are sorted in one launch. From computed_places: the sort of many keys.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../../common/harness/cooperative_launch.hpp"
#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../../common/harness/device_info.hpp"
#include "../../common/harness/resident_blocks.hpp"
#include "../keys.hpp"
#include "15_register_buckets.cuh"
#include "18_computed_places.cuh"
#include "bucket_sort.cuh"
#include "pack.cuh"
#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

/// All blocks of a launch, which run at the same time.
struct AllBlocks {
    __device__ unsigned index() const { return blockIdx.x; }
    __device__ unsigned count() const { return gridDim.x; }
    __device__ void sync() const { cooperative_groups::this_grid().sync(); }
};

// sample_best: as computed_places, but for small n keys are not cut: all blocks of one launch sort
// tiles, and wait for each other between the levels that merge them. For keys that stay in the L2
// cache, so that a sweep costs less than a launch.
// Removes: for small n, the sample, the passes, and all launches but one.
// Remains: two moves of each key, for any n; the search for its bucket; the sort of a tile.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_grid_kernel(Arrays arrays, unsigned n, typename S::SortKey* packed,
                      typename S::SortKey* spare) {
    sort_and_merge<S, ByPlaces>(arrays, 0, n, packed, spare, arrays, AllBlocks());
}

/// One launch for n keys.
template <class S>
void merge_in_one_launch(SortParams<typename S::SortKey> params) {
    constexpr std::size_t kBytes = ByPlaces::kBytes<S>;
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

/// In the smallest tile that holds them all, or merged.
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

/// Up to this many keys per multiprocessor, merging takes less time than cutting: it has more
/// levels for more keys, but needs only one launch.
constexpr std::size_t kMaxMergedShare = 1500;

struct SampleBest : ComputedPlaces {
    template <class SortKey>
    static std::size_t most_few() {
        return std::max(kMaxMergedShare * static_cast<std::size_t>(device_info().sm_count),
                        ComputedPlaces::most_few<SortKey>());
    }
    template <class, class SortKey>
    static void sort_few(const SortParams<SortKey>& params) {
        few_keys(params);
    }
};

/// For several GPUs (multi_gpu.cu): the parts of sample_best one by one.
template <class SortKey>
using SampleSort = BucketSort<SortKey, SampleBest>;

/// Calls use(cuts, pass, bucket) for the cuts that sample_best() makes in n keys.
template <class SortKey, class Use>
void with_cuts(std::size_t n, const Use& use, unsigned gpus = 1) {
    with_cuts<SortKey, SampleBest::Sort>(n, use, gpus);
}

template <class SortKey>
void sample_best(SortParams<SortKey> params) {
    sort_by_sample<SampleBest>(params);
}

}  // namespace sorting
