// Exercise 3.8: the last block                                                       (find the bug)
//
// Task: Find what is missing in the blank, and add it.
// Given: In one launch, each block stores its sum and takes a ticket, and the block with the last
// ticket adds all the sums. In the first call the sum is nearly always right. *d_ticket is 0 before
// the first call, and no other code resets it.
// Required: A block's sum is visible before its ticket is. The last block reads the sums only after
// it has its own ticket. The next call finds the ticket in the same state as this one did.
// Read: ../README.md, "`one_pass`: the last block adds the partial sums"
// Check: ./tutorial check ch03/ex8     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kThreads = 64;

/// The sum of the block's `mine`, in thread 0. Between two calls there must be a barrier.
__device__ float block_sum(float mine) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    return sums[0];
}

__global__ void sum_kernel(const float* items, std::size_t n, float* partial, unsigned* ticket,
                           float* sum) {
    __shared__ bool is_last;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    float mine = block_sum(i < n ? items[i] : 0.0f);
    // TODO (about 15 lines): what is missing here?
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();  // a block that sees the ticket taken also sees the sum
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();  // is_last is known to all, and block_sum's array is free again
    if (!is_last) return;
    __threadfence();  // the ticket is read before the partial sums are
    mine = 0.0f;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += kThreads) mine += partial[b];
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        *sum = mine;
        *ticket = 0;  // ready for the next call
    }
    // END
}

}  // namespace

/// *d_sum becomes the sum of d_items[0..n). d_partial: one word for each 64 items, at least one.
void last_block(const float* d_items, std::size_t n, float* d_partial, unsigned* d_ticket,
                float* d_sum) {
    const std::size_t blocks = n == 0 ? 1 : (n + kThreads - 1) / kThreads;
    sum_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(d_items, n, d_partial, d_ticket, d_sum);
    CUDA_CHECK_LAUNCH();
}
