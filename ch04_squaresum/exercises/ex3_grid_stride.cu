// Exercise 4.3: share the items among a grid                                    (fill in the blank)
//
// Task: Add the squares of this thread's items to `mine`.
// Given: A grid of any number of blocks and threads. The block adds its threads' sums for you.
// Required: All threads of all blocks take part. Together they take each of items[0..n) once, and
// nothing past the end. Neighbouring threads read neighbouring items, so that a request takes 4
// sectors, or at most 4.1 on average.
// Read: ../README.md, "`blocks`: the same 512 threads, in 8 blocks"
// Check: ./tutorial check ch04/ex3     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

__device__ Sum square(int item) {
    const long long wide = item;
    return static_cast<Sum>(wide * wide);
}

__global__ void squares_kernel(const int* items, std::size_t n, Sum* sums) {
    __shared__ Sum block_sums[1024];
    Sum mine = 0;
    // TODO (about 5 lines): add the squares of this thread's items to `mine`.
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) mine += square(items[i]);
    // END
    block_sums[threadIdx.x] = mine;
    __syncthreads();  // every thread's sum is there
    if (threadIdx.x != 0) return;
    for (unsigned t = 1; t < blockDim.x; ++t) mine += block_sums[t];
    sums[blockIdx.x] = mine;
}

}  // namespace

/// Leaves the sum of each block in d_sums[0..blocks); they add up to the sum of all squares.
void grid_stride(const int* d_items, std::size_t n, unsigned blocks, unsigned threads,
                 Sum* d_sums) {
    squares_kernel<<<blocks, threads>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}
