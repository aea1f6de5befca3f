// Exercise 3.4: the last warp by itself                                              (find the bug)
//
// Task: Find out what is wrong with the last five levels of the tree, and fix them.
// Given: Once 32 sums are left, the first warp does the rest. The code in the blank is from the
// years when the lanes of a warp ran in lockstep, and on most GPUs it still gives the right sum.
// But nothing orders what one lane writes and another lane reads.
// Required: The block waits at no more barriers than the four it has now.
// Read: ../README.md, "`unrolled`: the last warp by itself"
// Check: ./tutorial check ch03/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarpSize = 32;

__global__ void sum_kernel(const float* items, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = items[blockIdx.x * kThreads + t];
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half >= kWarpSize; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    // TODO (about 8 lines): the last five levels, 32 sums, in the first warp.
    if (t < kWarpSize) {
        volatile float* last = sums;
        for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
            last[t] = last[t] + last[t + half];
        }
    }
    // END
    if (t == 0) partial[blockIdx.x] = sums[0];
}

}  // namespace

/// d_partial[b] becomes the sum of the 256 items from d_items[256 * b] on, for each of the blocks.
void last_warp(const float* d_items, unsigned blocks, float* d_partial) {
    sum_kernel<<<blocks, kThreads>>>(d_items, d_partial);
    CUDA_CHECK_LAUNCH();
}
