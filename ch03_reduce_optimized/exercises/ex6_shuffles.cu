// Exercise 3.6: a block's sum by shuffles                                       (fill in the blank)
//
// Task: Write block_sum, which adds every thread's `mine` and returns the sum in thread 0.
// Given: A block has 32, 64, ... or 1024 threads: whole warps, but how many is known only at run
// time. What other threads return does not matter.
// Required: Each warp adds by shuffles, one word per warp goes through shared memory, and the block
// waits at only one barrier.
// Read: ../README.md, "`shuffle`: from register to register"
// Check: ./tutorial check ch03/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kWarpSize = 32;
constexpr unsigned kMaxWarps = 32;
constexpr unsigned kFullMask = 0xffffffffu;

/// The sum of the block's `mine`, in thread 0. Every thread of the block must call it, once.
__device__ float block_sum(float mine) {
    __shared__ float warp_sums[kMaxWarps];
    // TODO (about 8 lines): shuffles in each warp, then the warps' sums.
    mine += __shfl_down_sync(kFullMask, mine, kWarpSize / 2);  // a first step
    if (threadIdx.x == 0) warp_sums[0] = mine;
    __syncthreads();  // the sum is there
    if (threadIdx.x == 0) mine = warp_sums[0];
    // END
    return mine;
}

__global__ void sum_kernel(const float* items, float* partial) {
    const float sum = block_sum(items[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

}  // namespace

/// d_partial[b] becomes the sum of the items from d_items[threads * b] on, one per thread, for each
/// of the blocks. `threads`: 32, 64, ... 1024.
void shuffles(const float* d_items, unsigned blocks, unsigned threads, float* d_partial) {
    sum_kernel<<<blocks, threads>>>(d_items, d_partial);
    CUDA_CHECK_LAUNCH();
}
