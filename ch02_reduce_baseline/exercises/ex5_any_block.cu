// Exercise 2.5: a tree for 96 threads                                              (make it faster)
//
// Task: a block of 96 threads adds 96 items. The tree below is right, but at each level threads
// all over the block have something to add. Let whole warps work, and neighbouring threads use
// neighbouring words: for one block at most 30 requests to shared memory, loads and stores, where
// there are 55 now; one pass each; at most 8 barriers. Half of 96 is 48, then come 24, 12, 6 and 3:
// and half of 3?
// Read: ../README.md, "`sequential`"
// Check: ./tutorial check ch02/ex5      Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 96;

__global__ void block_sums_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    // TODO (about 6 lines): the same sum, added by the first threads.
    for (unsigned s = 1; s < kThreads; s *= 2) {
        if (t % (2 * s) == 0 && t + s < kThreads) sums[t] += sums[t + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    // END
    if (t == 0) partial[blockIdx.x] = sums[0];
}

/// d_partial: a float for each block. One block for no items at all, so that somebody writes the 0.
void block_sums(const float* d_items, std::size_t n, float* d_partial) {
    const unsigned blocks = n == 0 ? 1 : static_cast<unsigned>((n + kThreads - 1) / kThreads);
    block_sums_kernel<<<blocks, kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}
