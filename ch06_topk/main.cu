// Chapter 6: the k largest of N keys, with one read of the data.
//
// You will learn: to throw data away early (a threshold); to keep a sorted queue in a warp's
// registers; to let blocks share what they know without waiting; to find a threshold before the
// first key is read, so that no order of the data is a bad one; and what "the 20 largest" leaves
// open: duplicates, ties, NaN.
//
// Stages, made by ./tutorial docs from the table below:
//   1 insert            a sorted list per thread, merged by the block
//   2 parallel_output   all threads write the block's list
//   3 multi_pass        more launches, so that the last is small
//   4 threshold         one list per block; most keys fail one test
//   5 warp_queue        one queue per warp, in registers
//   6 vector_queue      16-byte reads, one test for four keys
//   7 shared_threshold  all warps use the highest threshold so far
//   8 one_launch        the last block merges the lists
//   9 candidate_set     a set in shared memory, k up to 1024
//  10 next_tile         the next tile is on its way while this one is tested
//  11 one_read          a counter hands out the tiles
//  12 sample_threshold  a threshold from a sample before the first key
//  13 digit_passes      the k-th digit by digit, a launch for each step
//  14 radix_select      the same in one launch, any k
//  15 segment_maxima    the k best segments are read again
//  16 segment_lead      only one thread's keys of each segment
//  17 best              the method that suits the question
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch06_topk
//   nvcc -std=c++17 -O3 -arch=native -I. ch06_topk/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch06
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "experiment.hpp"
#include "fastest/17_best.cuh"  // the stages from candidate_set on

namespace {

using namespace topk;

// The first stages' question: the k largest of n ints, the largest first; a value that occurs twice
// counts twice. So an empty place may hold INT_MIN: no key is smaller, and an equal key is just as
// good. The fastest stages also answer other questions: every value once, floats, the smallest,
// indices, larger k.
constexpr int kEmpty = INT_MIN;

/// The first stages work up to this k: they keep k keys per thread, or one per lane.
constexpr unsigned kMaxListK = kWarpSize;

// ---- Lists, as in the exercise ---------------------------------------------------------------

constexpr unsigned kListThreads = 128;
constexpr unsigned kListBlocksPerSm = 8;

std::size_t list_bytes(unsigned k) { return kListThreads * k * sizeof(int); }

unsigned list_blocks(unsigned n) { return blocks_for(n, kListThreads, kListBlocksPerSm); }

/// Puts `key` into the descending list top[0..k) if it belongs there; the last one falls out.
__host__ __device__ void insert_value(int* top, unsigned k, int key) {
    if (key <= top[k - 1]) return;
    unsigned at = k - 1;  // what is here is overwritten
    for (; at > 0 && top[at - 1] < key; --at) top[at] = top[at - 1];
    top[at] = key;
}

/// Writes this thread's k largest to its list in shared memory. Its keys are as far apart as the
/// grid has threads.
__device__ void collect(const int* keys, unsigned n, unsigned k, int* mine) {
    int top[kMaxListK];
    for (unsigned i = 0; i < k; ++i) top[i] = kEmpty;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        insert_value(top, k, keys[i]);
    }
    for (unsigned i = 0; i < k; ++i) mine[i] = top[i];
}

/// Merges the threads' lists into the first: half the threads insert the other half's, then a
/// quarter, and so on.
__device__ void merge_lists(int* lists, unsigned k) {
    int* const mine = lists + threadIdx.x * k;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the lists of the level before are complete
        if (threadIdx.x >= half) continue;
        const int* const other = mine + half * k;
        for (unsigned i = 0; i < k; ++i) insert_value(mine, k, other[i]);
    }
    __syncthreads();  // the first list is complete
}

// insert: every thread keeps its own k largest, sorted; a block merges them; a second launch, of
// one block, merges the blocks' lists.
// Removes: (the starting point).
// Remains: lists indexed at run time are in slow local memory; every key is compared only with its
// own thread's k-th; one thread writes the block's list; the last block has thousands of keys.
__global__ void insert_kernel(const int* keys, unsigned n, unsigned k, int* result) {
    extern __shared__ int lists[];
    collect(keys, n, k, lists + threadIdx.x * k);
    merge_lists(lists, k);
    if (threadIdx.x != 0) return;
    for (unsigned i = 0; i < min(k, n); ++i) result[blockIdx.x * k + i] = lists[i];
}

void insert(const int* d_keys, unsigned n, unsigned k, int* d_result, const ListScratch& scratch) {
    const unsigned blocks = list_blocks(n);
    int* const d_lists = blocks > 1 ? scratch.lists : d_result;
    insert_kernel<<<blocks, kListThreads, list_bytes(k)>>>(d_keys, n, k, d_lists);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    insert_kernel<<<1, kListThreads, list_bytes(k)>>>(d_lists, blocks * k, k, d_result);
    CUDA_CHECK_LAUNCH();
}

// parallel_output: the block's list is written by all its threads.
// Removes: k writes one after the other.
// Remains: everything else; the text measures how little this was.
__global__ void parallel_output_kernel(const int* keys, unsigned n, unsigned k, int* result) {
    extern __shared__ int lists[];
    collect(keys, n, k, lists + threadIdx.x * k);
    merge_lists(lists, k);
    if (threadIdx.x < min(k, n)) result[blockIdx.x * k + threadIdx.x] = lists[threadIdx.x];
}

void parallel_output(const int* d_keys, unsigned n, unsigned k, int* d_result,
                     const ListScratch& scratch) {
    const unsigned blocks = list_blocks(n);
    int* const d_lists = blocks > 1 ? scratch.lists : d_result;
    parallel_output_kernel<<<blocks, kListThreads, list_bytes(k)>>>(d_keys, n, k, d_lists);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    parallel_output_kernel<<<1, kListThreads, list_bytes(k)>>>(d_lists, blocks * k, k, d_result);
    CUDA_CHECK_LAUNCH();
}

// multi_pass: parallel_output's kernel, again and again until the last pass has a key per thread.
// Removes: the long job of the last block.
// Remains: a launch for each pass; and the first pass, which takes most of the time.
void multi_pass(const int* d_keys, unsigned n, unsigned k, int* d_result,
                const ListScratch& scratch) {
    unsigned blocks = list_blocks(n);
    int* d_lists = scratch.lists;
    int* d_next = scratch.next_lists;
    parallel_output_kernel<<<blocks, kListThreads, list_bytes(k)>>>(
        d_keys, n, k, blocks > 1 ? d_lists : d_result);
    CUDA_CHECK_LAUNCH();
    while (blocks > 1) {
        const unsigned keys = blocks * k;
        blocks = divide_up(keys, kListThreads);
        parallel_output_kernel<<<blocks, kListThreads, list_bytes(k)>>>(
            d_lists, keys, k, blocks > 1 ? d_next : d_result);
        CUDA_CHECK_LAUNCH();
        std::swap(d_lists, d_next);
    }
}

// ---- One list per block, one queue per warp --------------------------------------------------

constexpr unsigned kThresholdThreads = 256;
constexpr unsigned kThresholdBlocksPerSm = 2;

// threshold: one list per block; each key is compared with its k-th, and hardly any key passes.
// Removes: the threads' lists and their merging. Of n keys in random order, about k(1 + ln(n/k))
// pass.
// Remains: two barriers for each key that passes, and at first every key does; while one thread
// inserts, the others wait.
__global__ void threshold_kernel(const int* keys, unsigned n, unsigned k, int* result) {
    __shared__ int top[kMaxListK];
    __shared__ int waiting[kThresholdThreads];
    __shared__ unsigned count;
    if (threadIdx.x < k) top[threadIdx.x] = kEmpty;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();  // the list is empty
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x; first < n;
         first += threads) {
        const std::size_t i = first + threadIdx.x;
        const int key = i < n ? keys[i] : kEmpty;
        const bool passes = key > top[k - 1];
        if (!__syncthreads_or(passes)) continue;
        if (passes) waiting[atomicAdd(&count, 1u)] = key;
        __syncthreads();  // all that pass are waiting
        if (threadIdx.x == 0) {
            for (unsigned w = 0; w < count; ++w) insert_value(top, k, waiting[w]);
            count = 0;
        }
        __syncthreads();  // the list is complete again
    }
    __syncthreads();  // also for a block that had nothing to do
    if (threadIdx.x < min(k, n)) result[blockIdx.x * k + threadIdx.x] = top[threadIdx.x];
}

unsigned threshold_blocks(std::size_t n) {
    return blocks_for(n, kThresholdThreads, kThresholdBlocksPerSm);
}

void threshold(const int* d_keys, unsigned n, unsigned k, int* d_result,
               const ListScratch& scratch) {
    const unsigned blocks = threshold_blocks(n);
    int* const d_lists = blocks > 1 ? scratch.lists : d_result;
    threshold_kernel<<<blocks, kThresholdThreads>>>(d_keys, n, k, d_lists);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    threshold_kernel<<<1, kThresholdThreads>>>(d_lists, blocks * k, k, d_result);
    CUDA_CHECK_LAUNCH();
}

constexpr unsigned kQueueThreads = 256;
constexpr unsigned kQueueBlocksPerSm = 8;

/// Offers every lane's key to the warp's queue: lane i holds its i-th largest. All lanes of the
/// warp must call it.
__device__ void offer(int key, unsigned k, int& mine) {
    const unsigned lane = threadIdx.x % kWarpSize;
    unsigned waiting = __ballot_sync(kFullMask, key > __shfl_sync(kFullMask, mine, k - 1));
    while (waiting != 0) {
        const int from = __ffs(static_cast<int>(waiting)) - 1;
        waiting &= waiting - 1;
        const int next = __shfl_sync(kFullMask, key, from);
        // All keys that are as large stay; the others move up one lane, and the last falls out.
        const unsigned place = __popc(__ballot_sync(kFullMask, mine >= next));
        const int above = __shfl_up_sync(kFullMask, mine, 1);
        if (lane == place) mine = next;
        if (lane > place) mine = above;
    }
}

/// Merges the queues of the block's warps: the result is in queues[0..kWarpSize), for the first
/// warp. `mine`: this lane's of its warp's queue. All threads of the block must call it.
__device__ void merge_queues(int mine, unsigned k, int* queues) {
    queues[threadIdx.x] = mine;
    __syncthreads();  // all queues are there
    if (threadIdx.x >= kWarpSize) return;
    for (unsigned other = kWarpSize; other < blockDim.x; other += kWarpSize) {
        offer(queues[other + threadIdx.x], k, mine);
    }
    queues[threadIdx.x] = mine;
    __syncwarp();  // the block's queue is there
}

// warp_queue: every warp keeps a sorted queue in its registers, one key per lane; ballots find what
// passes and where it belongs; a shuffle makes room.
// Removes: the barriers, and waiting for one thread; memory for the lists.
// Remains: 4-byte reads, few of them in flight; every warp has its own threshold; a second launch.
__global__ void warp_queue_kernel(const int* keys, unsigned n, unsigned k, int* result) {
    __shared__ int queues[kQueueThreads];
    int mine = kEmpty;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    // `first` is the same in all lanes of a warp, so that all of them take part in every offer.
    for (std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x +
                             threadIdx.x / kWarpSize * kWarpSize;
         first < n; first += threads) {
        const std::size_t i = first + threadIdx.x % kWarpSize;
        offer(i < n ? keys[i] : kEmpty, k, mine);
    }
    merge_queues(mine, k, queues);
    if (threadIdx.x < min(k, n)) result[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
}

void warp_queue(const int* d_keys, unsigned n, unsigned k, int* d_result,
                const ListScratch& scratch) {
    const unsigned blocks = blocks_for(n, kQueueThreads, kQueueBlocksPerSm);
    int* const d_lists = blocks > 1 ? scratch.lists : d_result;
    warp_queue_kernel<<<blocks, kQueueThreads>>>(d_keys, n, k, d_lists);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    warp_queue_kernel<<<1, kQueueThreads>>>(d_lists, blocks * k, k, d_result);
    CUDA_CHECK_LAUNCH();
}

// ---- One read at memory speed, for small k ---------------------------------------------------

constexpr unsigned kVectorReads = 4;        // 16-byte reads in flight per thread
constexpr unsigned kVectorBlocksPerSm = 4;  // so that 64 registers per thread suffice
constexpr unsigned kVectorTile =
    kQueueThreads * kVectorReads * 4;  // keys that a block reads at a time

unsigned vector_blocks(unsigned n) { return blocks_for(n, kVectorTile, kVectorBlocksPerSm); }

/// Offers the four keys of every lane's vector to the warp's queue, if any of them is above the
/// threshold. `is_there`: the lane has a vector. All lanes of the warp must call it.
__device__ void offer_vector(const int4& vector, bool is_there, unsigned k, int threshold,
                             int& mine) {
    const int keys[4] = {vector.x, vector.y, vector.z, vector.w};
    const int largest = max(max(keys[0], keys[1]), max(keys[2], keys[3]));
    if (!__any_sync(kFullMask, is_there && largest > threshold)) return;
#pragma unroll
    for (const int key : keys) offer(is_there && key > threshold ? key : kEmpty, k, mine);
}

/// Offers the keys after the last whole vector, at most three. Only the grid's first warp does.
__device__ void offer_tail(const int* keys, unsigned n, unsigned k, int& mine) {
    if (blockIdx.x != 0 || threadIdx.x >= kWarpSize) return;
    const unsigned i = n / 4 * 4 + threadIdx.x;
    offer(i < n ? keys[i] : kEmpty, k, mine);
}

/// Writes the k largest of the blocks' lists, `count` keys in all, to the answer, but no more than
/// `places`. All threads of one block must call it.
__device__ void merge_block_lists(const int* lists, unsigned count, unsigned k, unsigned places,
                                  int* queues, int* result) {
    int mine = kEmpty;
    for (unsigned first = threadIdx.x / kWarpSize * kWarpSize; first < count;
         first += kVectorReads * kQueueThreads) {
        int keys[kVectorReads];  // in flight
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned i = first + r * kQueueThreads + threadIdx.x % kWarpSize;
            keys[r] = i < count ? lists[i] : kEmpty;
        }
#pragma unroll
        for (const int key : keys) offer(key, k, mine);
    }
    merge_queues(mine, k, queues);
    if (threadIdx.x < places) result[threadIdx.x] = queues[threadIdx.x];
}

// vector_queue: 16-byte reads, four in flight; only the largest of each vector's four keys is
// compared with the threshold, and one vote of the warp decides for 128 keys.
// Removes: small reads, and most of the instructions for a key that does not pass.
// Remains: every warp learns its own threshold; a second launch.
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    vector_queue_kernel(const int* keys, unsigned n, unsigned k, int* lists) {
    __shared__ int queues[kQueueThreads];
    int mine = kEmpty;
    for (unsigned tile = blockIdx.x; tile < divide_up(n, kVectorTile); tile += gridDim.x) {
        int4 vectors[kVectorReads];
        load_tile<kQueueThreads, false>(reinterpret_cast<const int4*>(keys), n / 4, tile, vectors);
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned at = (tile * kVectorReads + r) * kQueueThreads + threadIdx.x;
            const int kth = __shfl_sync(kFullMask, mine, k - 1);
            offer_vector(vectors[r], at < n / 4, k, kth, mine);
        }
    }
    offer_tail(keys, n, k, mine);
    merge_queues(mine, k, queues);
    if (threadIdx.x < k) lists[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
}

__global__ void vector_queue_merge_kernel(const int* lists, unsigned count, unsigned k,
                                          unsigned places, int* result) {
    __shared__ int queues[kQueueThreads];
    merge_block_lists(lists, count, k, places, queues, result);
}

void vector_queue(const int* d_keys, unsigned n, unsigned k, int* d_result,
                  const ListScratch& scratch) {
    require_aligned(d_keys, "vector_queue");
    const unsigned blocks = vector_blocks(n);
    vector_queue_kernel<<<blocks, kQueueThreads>>>(d_keys, n, k, scratch.lists);
    CUDA_CHECK_LAUNCH();
    vector_queue_merge_kernel<<<1, kQueueThreads>>>(scratch.lists, blocks * k, k, std::min(k, n),
                                                    d_result);
    CUDA_CHECK_LAUNCH();
}

/// A key as an unsigned integer of the same order: a word that is 0 between launches holds INT_MIN.
__host__ __device__ unsigned radix_key(int key) { return static_cast<unsigned>(key) ^ 0x80000000u; }
__host__ __device__ int from_radix_key(unsigned bits) {
    return static_cast<int>(bits ^ 0x80000000u);
}

/// This lane's entry of its warp's queue, for the warp's share of the keys. The threshold is the
/// highest k-th that a warp of the grid has published in *highest, or the warp's own. All threads
/// of the block must call it.
__device__ int queue_of_warp(const int* keys, unsigned n, unsigned k, unsigned* highest) {
    int mine = kEmpty;
    for (unsigned tile = blockIdx.x; tile < divide_up(n, kVectorTile); tile += gridDim.x) {
        const unsigned published = load_relaxed(highest);  // on its way with the keys
        int4 vectors[kVectorReads];
        load_tile<kQueueThreads, false>(reinterpret_cast<const int4*>(keys), n / 4, tile, vectors);
        // Lanes may have read different values, but all must decide alike.
        int threshold = from_radix_key(__shfl_sync(kFullMask, published, 0));
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned at = (tile * kVectorReads + r) * kQueueThreads + threadIdx.x;
            offer_vector(vectors[r], at < n / 4, k, threshold, mine);
            const int kth = __shfl_sync(kFullMask, mine, k - 1);
            if (kth <= threshold) continue;
            // This warp has k keys that are as large, so the answer needs only larger keys,
            // whichever warp has them. This also returns what other warps have published.
            threshold = kth;
            if (threadIdx.x % kWarpSize == 0) {
                threshold = max(kth, from_radix_key(atomicMax(highest, radix_key(kth))));
            }
            threshold = __shfl_sync(kFullMask, threshold, 0);
        }
    }
    offer_tail(keys, n, k, mine);
    return mine;
}

// shared_threshold: a warp whose k-th has risen publishes it; all warps use the highest that they
// have seen. No warp waits: an old threshold is lower than the new one, and never wrong.
// Removes: keys that pass only because a warp does not know what others have found; in ascending
// order that is nearly every key.
// Remains: a second launch.
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    shared_threshold_kernel(const int* keys, unsigned n, unsigned k, unsigned* highest,
                            int* lists) {
    __shared__ int queues[kQueueThreads];
    merge_queues(queue_of_warp(keys, n, k, highest), k, queues);
    if (threadIdx.x < k) lists[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
}

__global__ void shared_threshold_merge_kernel(const int* lists, unsigned count, unsigned k,
                                              unsigned places, unsigned* highest, int* result) {
    __shared__ int queues[kQueueThreads];
    merge_block_lists(lists, count, k, places, queues, result);
    if (threadIdx.x == 0) *highest = 0;  // as it was before the launches
}

void shared_threshold(const int* d_keys, unsigned n, unsigned k, int* d_result,
                      const ListScratch& scratch) {
    require_aligned(d_keys, "shared_threshold");
    const unsigned blocks = vector_blocks(n);
    shared_threshold_kernel<<<blocks, kQueueThreads>>>(d_keys, n, k, scratch.highest,
                                                       scratch.lists);
    CUDA_CHECK_LAUNCH();
    shared_threshold_merge_kernel<<<1, kQueueThreads>>>(scratch.lists, blocks * k, k,
                                                        std::min(k, n), scratch.highest, d_result);
    CUDA_CHECK_LAUNCH();
}

// one_launch: as shared_threshold, and the last block to finish merges the lists of all blocks.
// Removes: the second launch.
// Remains: k up to 32; no read is in flight while a warp tests its keys; the threshold knows only
// earlier keys.
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    one_launch_kernel(const int* keys, unsigned n, unsigned k, unsigned* highest, int* lists,
                      unsigned* finished, int* result) {
    __shared__ int queues[kQueueThreads];
    __shared__ bool is_last;
    merge_queues(queue_of_warp(keys, n, k, highest), k, queues);
    if (threadIdx.x < k) lists[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
    __syncthreads();  // the block's list is written
    if (threadIdx.x == 0) {
        __threadfence();  // release: the list is visible before the block counts as finished
        is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
        __threadfence();  // acquire: the last block sees the lists of all others
    }
    __syncthreads();  // all threads know whether this block is the last
    if (!is_last) return;
    merge_block_lists(lists, gridDim.x * k, k, min(k, n), queues, result);
    if (threadIdx.x == 0) {  // as they were before the launch
        *highest = 0;
        *finished = 0;
    }
}

void one_launch(const int* d_keys, unsigned n, unsigned k, int* d_result,
                const ListScratch& scratch) {
    require_aligned(d_keys, "one_launch");
    one_launch_kernel<<<vector_blocks(n), kQueueThreads>>>(
        d_keys, n, k, scratch.highest, scratch.lists, scratch.finished, d_result);
    CUDA_CHECK_LAUNCH();
}

// ---- The table -------------------------------------------------------------------------------

/// A row for one of the first stages.
template <class Key, ListLauncher kLaunch>
TopK<Key> first_stage() {
    TopK<Key> row = {nullptr, kMaxListK};
    row.is_plain = true;
    if constexpr (std::is_same_v<Key, int>) {
        row.launch = [](const TopKParams<int>& p) {
            kLaunch(p.keys, p.n, p.k, p.result.keys, list_scratch(p.scratch));
        };
    }
    return row;
}

template <class Key>
const std::vector<Stage<TopK<Key>>>& stages() {
    static const std::vector<Stage<TopK<Key>>> table = {
        {{"insert", "a sorted list per thread, merged by the block"}, first_stage<Key, insert>()},
        {{"parallel_output", "all threads write the block's list"},
         first_stage<Key, parallel_output>()},
        {{"multi_pass", "more launches, so that the last is small"},
         first_stage<Key, multi_pass>()},
        {{"threshold", "one list per block; most keys fail one test"},
         first_stage<Key, threshold>()},
        {{"warp_queue", "one queue per warp, in registers"}, first_stage<Key, warp_queue>()},
        {{"vector_queue", "16-byte reads, one test for four keys"},
         first_stage<Key, vector_queue>()},
        {{"shared_threshold", "all warps use the highest threshold so far"},
         first_stage<Key, shared_threshold>()},
        {{"one_launch", "the last block merges the lists"}, first_stage<Key, one_launch>()},
        {{"candidate_set", "a set in shared memory, k up to 1024"},
         {candidate_set<Key>, kMaxK, kMaxK}},
        {{"next_tile", "the next tile is on its way while this one is tested"},
         {next_tile<Key>, kMaxK, kMaxK}},
        {{"one_read", "a counter hands out the tiles"}, {one_read<Key>, kMaxK, kMaxK}},
        {{"sample_threshold", "a threshold from a sample before the first key"},
         {sample_threshold<Key>, kMaxK, kMaxK}},
        {{"digit_passes", "the k-th digit by digit, a launch for each step"},
         {digit_passes<Key>, kMaxK, 0, false}},
        {{"radix_select", "the same in one launch, any k"}, {radix_select<Key>, kMaxN, 0}},
        {{"segment_maxima", "the k best segments are read again"},
         {segment_maxima<Key>, kMaxSegmentK, 0}},
        {{"segment_lead", "only one thread's keys of each segment"},
         {segment_lead<Key>, kMaxSegmentK, 0}},
        {{"best", "the method that suits the question"}, {best<Key>, kMaxN, kMaxK}},
    };
    return table;
}

ScratchSizes scratch_sizes(unsigned k, std::size_t n) {
    ScratchSizes sizes = fastest_scratch_sizes(k, n);
    const std::size_t lists = std::size_t{std::max(kListBlocksPerSm, kQueueBlocksPerSm)} * k;
    sizes.list = std::max(sizes.list, lists * sm_count());
    return sizes;
}

template <class Key>
std::unique_ptr<Experiment> experiment(const Options& options, const Question& question) {
    return std::make_unique<TopKExperiment<Key>>(
        options, question, stages<Key>(), scratch_sizes,
        ThresholdGrid{threshold_blocks, kThresholdThreads});
}

}  // namespace

int main(int argc, char** argv) {
    Question question;
    return Chapter("ch06_topk", "The k largest of N keys", "key")
        .sizes(1000000, std::size_t{1} << 17, kMaxN, std::size_t{1} << 22)
        .number("--k", "how many keys", question.k, 0, kMaxN)
        .flag("--distinct", "every value once; otherwise duplicates count", question.distinct)
        .flag("--smallest", "the smallest instead of the largest", question.smallest)
        .flag("--index", "also the index of each; among equal keys, the lowest", question.index)
        .choice("--type", "type of the keys", {"int", "float"}, question.type)
        .choice("--adversarial", "an order that is bad for some stage, instead of --input",
                adversarial_kinds(), question.adversarial)
        .run(argc, argv, [&](const Options& options) -> std::unique_ptr<Experiment> {
            if (question.type == "float") {
                return experiment<float>(options, question);
            }
            return experiment<int>(options, question);
        });
}
