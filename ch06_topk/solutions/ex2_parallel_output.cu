// Exercise 6.2: a block's list, written by all its threads                         (make it faster)
//
// Task: Let the threads share the writing, so that neighbouring threads write neighbouring places.
// Given: Each block finds the k largest of its 256 items. One thread writes them, in k steps, while
// 63 wait. k goes up to 80, which is more than the number of threads.
// Required: The result stays the same, and in the same order.
// Read: ../README.md, "`parallel_output`"
// Check: ./tutorial check ch06/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // an empty place differs from every int
constexpr unsigned kThreads = 64;
constexpr unsigned kItems = 256;  // per block

namespace {

/// Puts `item` into the descending list top[0..k) if it belongs there; the last one falls out.
__device__ void insert_entry(Entry* top, unsigned k, Entry item) {
    if (item <= top[k - 1]) return;
    unsigned place = k - 1;
    for (; place > 0 && top[place - 1] < item; --place) top[place] = top[place - 1];
    top[place] = item;
}

/// The k largest of the block's items, to lists[0..k): a list per thread, merged in pairs.
__device__ void block_list(const int* items, std::size_t n, unsigned k, Entry* lists) {
    Entry* const mine = lists + threadIdx.x * k;
    for (unsigned i = 0; i < k; ++i) mine[i] = kNothing;
    for (unsigned j = threadIdx.x; j < kItems; j += kThreads) {
        const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kItems + j;
        if (i < n) insert_entry(mine, k, items[i]);
    }
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();  // the previous level's lists are complete
        if (threadIdx.x >= half) continue;
        for (unsigned i = 0; i < k; ++i) insert_entry(mine, k, mine[half * k + i]);
    }
    __syncthreads();  // the block's list is complete
}

__global__ void top_of_blocks_kernel(const int* items, std::size_t n, unsigned k, Entry* top) {
    extern __shared__ Entry lists[];
    block_list(items, n, k, lists);
    // TODO (about 3 lines): write lists[0..k) to top[blockIdx.x * k ...), with all threads.
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) {
        top[blockIdx.x * k + i] = lists[i];
    }
    // END
}

}  // namespace

/// d_top: k entries for each 256 items, the last block's too; empty places hold kNothing.
void top_of_blocks(const int* d_items, std::size_t n, unsigned k, long long* d_top) {
    const unsigned blocks = static_cast<unsigned>((n + kItems - 1) / kItems);
    if (blocks == 0) return;
    top_of_blocks_kernel<<<blocks, kThreads, kThreads * k * sizeof(Entry)>>>(d_items, n, k, d_top);
    CUDA_CHECK_LAUNCH();
}
