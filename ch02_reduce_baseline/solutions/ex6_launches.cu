// Exercise 2.6: launch until one sum is left                                    (fill in the blank)
//
// Task: Add n items, for any n, in as many launches as that takes.
// Given: A block adds 64 items, so two launches add up to 4096 items, as below. `block_sums` is
// correct as it is; its input and its output must not be the same array.
// Required: No more launches than needed, and only one if one is enough. The host adds nothing, and
// reads nothing that is on the device.
// Read: ../README.md, "Two ways to finish"
// Check: ./tutorial check ch02/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 64;

__global__ void block_sums_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

/// If n is 0, one block writes the 0.
std::size_t blocks_for(std::size_t n) { return n == 0 ? 1 : (n + kThreads - 1) / kThreads; }

/// Adds n items to blocks_for(n) partial sums.
void block_sums(const float* d_items, std::size_t n, float* d_partial) {
    block_sums_kernel<<<static_cast<unsigned>(blocks_for(n)), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

/// Adds n items; *d_sum is the result. d_scratch: two arrays of blocks_for(n) floats.
void sum(const float* d_items, std::size_t n, float* const (&d_scratch)[2], float* d_sum) {
    // TODO (about 7 lines): as many launches as n needs.
    int to = 0;
    while (blocks_for(n) > 1) {
        block_sums(d_items, n, d_scratch[to]);
        d_items = d_scratch[to];
        n = blocks_for(n);
        to = 1 - to;
    }
    block_sums(d_items, n, d_sum);
    // END
}
