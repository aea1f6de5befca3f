// Exercise 2.3: one atomic operation per block                                     (make it faster)
//
// Task: Let each block add its 256 items first, and then add its sum to *sum.
// Given: The chapter's stage `atomic`: n additions wait for one word. *sum is 0 before the launch;
// n may be any number.
// Required: At most one atomic operation per block, of any kind, and as little waiting as in a
// tree: no thread loads more than 40 items, takes part in more than 16 shuffles or waits at more
// than 20 barriers.
// Read: ../README.md, "`atomic`" and "`neighbour`"
// Check: ./tutorial check ch02/ex3     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 256;

__global__ void sum_kernel(const float* items, std::size_t n, float* sum) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    // TODO (about 9 lines): one atomic operation per block.
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) atomicAdd(sum, sums[0]);
    // END
}

/// d_sum: one float.
void sum(const float* d_items, std::size_t n, float* d_sum) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));  // 0.0f is four bytes of 0
    if (n == 0) return;
    sum_kernel<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads>>>(d_items, n,
                                                                                   d_sum);
    CUDA_CHECK_LAUNCH();
}
