// sample_sort: cut first, then sort. From merge_tiles, in main.cu: the sort of a tile.
// merge_windows sorts the sample.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../merging.hpp"
#include "../tile_sizes.hpp"
#include "11_merge_windows.cuh"

namespace sorting {

constexpr unsigned kBucketKeys = kTile / 2;  // at the mean: a sample is not exact
constexpr unsigned kSampledKeys = 16;        // of the sample, per bucket

/// sample[i] is the first key of the i-th of `count` equal parts of the keys.
template <class SortKey>
__global__ void sample_sort_sample_kernel(const SortKey* keys, unsigned n, SortKey* sample,
                                          unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sample[i] = keys[static_cast<unsigned long long>(i) * n / count];
}

/// The key's bucket. Every kSampledKeys-th key of the sorted sample is a splitter. Bucket 2i holds
/// the keys between splitters i - 1 and i; bucket 2i + 1 holds those that are equal to splitter i.
template <class SortKey>
__device__ unsigned bucket_of(SortKey key, const SortKey* sample, unsigned splitters) {
    unsigned low = 0, high = splitters;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = sample[(middle + 1) * kSampledKeys] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    const bool is_splitter = low < splitters && !(key < sample[(low + 1) * kSampledKeys]);
    return 2 * low + (is_splitter ? 1 : 0);
}

template <class SortKey>
__global__ void sample_sort_count_kernel(const SortKey* keys, unsigned n, const SortKey* sample,
                                         unsigned splitters, unsigned* counts) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[bucket_of(keys[i], sample, splitters)], 1u);
}

constexpr unsigned kScanThreads = 1024;

/// counts[i] becomes where bucket i begins: the sum of the counts before it. One block.
__global__ void sample_sort_begins_kernel(unsigned* counts, unsigned buckets) {
    __shared__ unsigned sums[kScanThreads];
    const unsigned each = divide_up(buckets, kScanThreads);
    const unsigned first = min(threadIdx.x * each, buckets);
    const unsigned end = min(first + each, buckets);
    unsigned sum = 0;
    for (unsigned i = first; i < end; ++i) sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();  // all sums are there
    for (unsigned distance = 1; distance < kScanThreads; distance *= 2) {
        const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();  // all have read before a sum is written
        sums[threadIdx.x] += before;
        __syncthreads();  // all sums are written before the next step reads them
    }
    unsigned begin = sums[threadIdx.x] - sum;
    for (unsigned i = first; i < end; ++i) {
        const unsigned count = counts[i];
        counts[i] = begin;
        begin += count;
    }
}

/// Moves every key to its bucket, in any order. next[i], where bucket i begins, becomes its end.
template <class SortKey>
__global__ void sample_sort_move_kernel(const SortKey* keys, unsigned n, const SortKey* sample,
                                        unsigned splitters, unsigned* next, SortKey* moved) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) moved[atomicAdd(&next[bucket_of(keys[i], sample, splitters)], 1u)] = keys[i];
}

// sample_sort: splitters from a sorted sample cut the keys into buckets; each key is moved to its
// bucket, and a block sorts a bucket as merge_tiles sorts a tile. Equal keys have their own bucket.
// Removes: the merges: once each bucket is sorted on chip, all keys are.
// Remains: two searches for every key; an atomic addition for each; moves that write far apart.
template <class SortKey>
__global__ void sample_sort_buckets_kernel(SortKey* moved, SortKey* keys, const unsigned* ends) {
    __shared__ SortKey tile[kTile];
    const unsigned first = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
    const unsigned count = ends[blockIdx.x] - first;
    SortKey* from = moved + first;
    SortKey* to = keys + first;
    if (blockIdx.x % 2 != 0) {  // keys that are equal
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
        return;
    }
    for (unsigned begin = 0; begin < count; begin += kTile) {
        const unsigned size = min(kTile, count - begin);
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) tile[i] = from[begin + i];
        __syncthreads();  // threads sort keys that others loaded
        sort_shared_tile(tile, size);
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) to[begin + i] = tile[i];
    }
    // A bucket of several tiles, if the sample was unlucky: the block merges them as merge_rank.
    for (unsigned run = kTile; run < count; run *= 2) {
        SortKey* const other = from;
        from = to;
        to = other;
        __syncthreads();  // the runs are stored before others read them
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            const unsigned begin = i / (2 * run) * (2 * run);
            const unsigned middle = min(begin + run, count);
            const unsigned end = min(begin + 2 * run, count);
            to[merged_index(from, begin, middle, end, i)] = from[i];
        }
    }
    if (to == keys + first) return;
    __syncthreads();  // all is merged before it is copied
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) from[i] = to[i];
}

/// What sample_sort and the stages after it have in their scratch memory.
template <class SortKey>
struct SampledBuckets {
    unsigned splitters, buckets;
    SortKey* sample;  ///< sorted
    unsigned* ends;   ///< counts of the buckets, then where they begin, then where they end
    unsigned* kept;   ///< kept_buckets: the bucket of each key
};

/// Its size in bytes. kept_buckets needs the most.
template <class SortKey>
constexpr std::size_t sample_sort_bytes(std::size_t n) {
    const std::size_t buckets = n / kBucketKeys + 1;
    return buckets * (2 * kSampledKeys * sizeof(SortKey) + 2 * sizeof(unsigned)) +
           n * sizeof(unsigned);
}

/// Takes a sample and sorts it; clears the counts.
template <class SortKey>
SampledBuckets<SortKey> take_sample(const SortKey* keys, unsigned n, void* scratch) {
    const unsigned splitters = divide_up(n, kBucketKeys) - 1;
    const unsigned buckets = 2 * splitters + 1;
    const unsigned sampled = (splitters + 1) * kSampledKeys;
    SortKey* const sample = static_cast<SortKey*>(scratch);
    unsigned* const ends = reinterpret_cast<unsigned*>(sample + 2 * sampled);
    CUDA_CHECK(cudaMemsetAsync(ends, 0, buckets * sizeof(unsigned)));
    sample_sort_sample_kernel<<<divide_up(sampled, 256u), 256>>>(keys, n, sample, sampled);
    CUDA_CHECK_LAUNCH();
    return {splitters, buckets, merge_windows(sample, sample + sampled, sampled), ends,
            ends + buckets};
}

template <class SortKey>
SortKey* sample_sort(SortKey* keys, SortKey* spare, unsigned n, void* scratch) {
    if (n == 0) return keys;
    const auto [splitters, buckets, sample, ends, kept] = take_sample(keys, n, scratch);
    sample_sort_count_kernel<<<divide_up(n, 256u), 256>>>(keys, n, sample, splitters, ends);
    CUDA_CHECK_LAUNCH();
    sample_sort_begins_kernel<<<1, kScanThreads>>>(ends, buckets);
    CUDA_CHECK_LAUNCH();
    sample_sort_move_kernel<<<divide_up(n, 256u), 256>>>(keys, n, sample, splitters, ends, spare);
    CUDA_CHECK_LAUNCH();
    sample_sort_buckets_kernel<<<buckets, kMergeThreads>>>(spare, keys, ends);
    CUDA_CHECK_LAUNCH();
    return keys;
}

}  // namespace sorting
