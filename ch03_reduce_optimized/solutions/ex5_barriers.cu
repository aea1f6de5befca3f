// Exercise 3.5: how many barriers?                                               (predict a number)
//
// Task: Predict the number of launches, and of blocks, barriers and shuffles in all launches
// together.
// Given: There are two methods to finish a block's sum. One is a tree, in which a level that leaves
// kBarrierFrom sums or more ends at a barrier, and any other level at __syncwarp(). The other uses
// shuffles. 100,000 items are added, launch after launch, until one sum is left.
// Required: Six exact numbers. A barrier counts once per block, a shuffle once per warp.
// Read: ../README.md, "`shuffle`: from register to register"
// Check: ./tutorial check ch03/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kTile = 8 * kThreads;  // 8 items per thread

__device__ float thread_sum(const float* items, unsigned n) {
    float mine = 0.0f;
    for (unsigned i = threadIdx.x; i < kTile; i += kThreads) {
        if (blockIdx.x * kTile + i < n) mine += items[blockIdx.x * kTile + i];
    }
    return mine;
}

template <unsigned kBarrierFrom>
__global__ void tree_kernel(const float* items, unsigned n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = thread_sum(items, n);
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        if (half >= kBarrierFrom) __syncthreads();  // this level is complete before the next
        if (half < kBarrierFrom) __syncwarp();      // the same, where one warp is left
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

__global__ void shuffle_kernel(const float* items, unsigned n, float* partial) {
    __shared__ float warp_sums[kThreads / 32];
    const unsigned t = threadIdx.x;
    float mine = thread_sum(items, n);
    for (unsigned half = 16; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
    if (t % 32 == 0) warp_sums[t / 32] = mine;
    __syncthreads();  // every warp's sum is there
    for (unsigned warp = 1; t == 0 && warp < kThreads / 32; ++warp) mine += warp_sums[warp];
    if (t == 0) partial[blockIdx.x] = mine;
}

}  // namespace

/// Of all launches together, n = 100,000.
struct Ends {
    double launches, blocks;            ///< of each of the three
    double barriers_tree;               ///< tree_kernel<1>: a barrier after each level
    double barriers_last;               ///< tree_kernel<32>: none after the last levels
    double barriers_shuffle, shuffles;  ///< shuffle_kernel
};

Ends predict() {
    Ends ends = {};
    // TODO (about 6 lines): your numbers.
    ends.launches = 2;  // 100,000 items are 49 tiles, and their sums one tile
    ends.blocks = 49 + 1;
    ends.barriers_tree = 50 * (1 + 8);  // before the first level and after each: 128, 64, ... 1
    ends.barriers_last = 50 * (1 + 3);  // after 128, 64 and 32
    ends.barriers_shuffle = 50;
    ends.shuffles = 50 * 8 * 5;  // 8 warps, 5 levels
    // END
    return ends;
}

/// One launch: leaves the sum of each tile of d_items[0..n) in d_partial. `end`: 0 tree_kernel<1>,
/// 1 tree_kernel<32>, 2 shuffle_kernel.
void sum(int end, const float* d_items, unsigned n, float* d_partial) {
    const unsigned blocks = (n + kTile - 1) / kTile;
    if (end == 0) tree_kernel<1><<<blocks, kThreads>>>(d_items, n, d_partial);
    if (end == 1) tree_kernel<32><<<blocks, kThreads>>>(d_items, n, d_partial);
    if (end == 2) shuffle_kernel<<<blocks, kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}
