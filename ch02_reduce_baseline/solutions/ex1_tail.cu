// Exercise 2.1: a sum for any n                                                      (find the bug)
//
// Task: Find out what is wrong with this sum, and fix it.
// Given: Each block adds 128 items and stores one partial sum; past the end of the items it adds 0.
// The results are usually right. Still, the lab finds a fault unless n is a multiple of 128.
// Required: Each thread loads its own item, and every thread of the block still reaches the
// barriers.
// Read: ../README.md, "`neighbour`"
// Check: ./tutorial check ch02/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 128;

__global__ void block_sums_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
    // TODO (about 1 line): the fault is here.
    sums[t] = i < n ? items[i] : 0.0f;
    // END
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

/// d_partial: a float for each block. If n is 0, one block writes the 0.
void block_sums(const float* d_items, std::size_t n, float* d_partial) {
    const unsigned blocks = n == 0 ? 1 : static_cast<unsigned>((n + kThreads - 1) / kThreads);
    block_sums_kernel<<<blocks, kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}
