// kept_buckets: each key's bucket is kept. From sample_sort: the sample, and the sort of a bucket.
#pragma once

#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../tile_sizes.hpp"
#include "12_sample_sort.cuh"

namespace sorting {

template <class SortKey>
__global__ void kept_buckets_count_kernel(const SortKey* keys, unsigned n, const SortKey* sample,
                                          unsigned splitters, unsigned* counts, unsigned* kept) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    kept[i] = bucket_of(keys[i], sample, splitters);
    atomicAdd(&counts[kept[i]], 1u);
}

// kept_buckets: as sample_sort, but the bucket of each key is kept when it is counted, and read
// when it is moved.
// Removes: the second search for every key.
// Remains: the first one, in global memory; two atomic additions there; moves that write far apart.
template <class SortKey>
__global__ void kept_buckets_move_kernel(const SortKey* keys, unsigned n, const unsigned* kept,
                                         unsigned* next, SortKey* moved) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) moved[atomicAdd(&next[kept[i]], 1u)] = keys[i];
}

/// Moves the keys to their buckets in `moved`.
template <class SortKey>
SampledBuckets<SortKey> move_to_kept_buckets(const SortKey* keys, SortKey* moved, unsigned n,
                                             void* scratch) {
    const SampledBuckets<SortKey> to = take_sample(keys, n, scratch);
    kept_buckets_count_kernel<<<divide_up(n, 256u), 256>>>(keys, n, to.sample, to.splitters,
                                                           to.ends, to.kept);
    CUDA_CHECK_LAUNCH();
    sample_sort_begins_kernel<<<1, kScanThreads>>>(to.ends, to.buckets);
    CUDA_CHECK_LAUNCH();
    kept_buckets_move_kernel<<<divide_up(n, 256u), 256>>>(keys, n, to.kept, to.ends, moved);
    CUDA_CHECK_LAUNCH();
    return to;
}

template <class SortKey>
SortKey* kept_buckets(SortKey* keys, SortKey* spare, unsigned n, void* scratch) {
    if (n == 0) return keys;
    const SampledBuckets<SortKey> in = move_to_kept_buckets(keys, spare, n, scratch);
    sample_sort_buckets_kernel<<<in.buckets, kMergeThreads>>>(spare, keys, in.ends);
    CUDA_CHECK_LAUNCH();
    return keys;
}

}  // namespace sorting
