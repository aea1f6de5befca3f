// Exercise 4.2: squares of large numbers                                             (find the bug)
//
// Task: Find out where large numbers overflow, and fix the code.
// Given: The kernel is correct for a million digits, but not for all ints: an int does not hold the
// sum of their squares, and sometimes not even a single square. *sum is 0 before the launch, and
// any number of blocks adds to it.
// Required: *sum is exact for any ints whose sum of squares is below 2^64.
// Read: ../README.md, "Which type holds the sum?"
// Check: ./tutorial check ch04/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

__global__ void squares_kernel(const int* items, std::size_t n, Sum* sum) {
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    // TODO (about 6 lines): the sum of this thread's squares, added to *sum.
    Sum mine = 0;
    for (std::size_t i = first; i < n; i += threads) {
        const long long item = items[i];  // wide before it is squared
        mine += static_cast<Sum>(item * item);
    }
    atomicAdd(sum, mine);
    // END
}

}  // namespace

/// *d_sum becomes the sum of the squares of d_items[0..n).
void wide_sum(const int* d_items, std::size_t n, Sum* d_sum) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(Sum)));
    squares_kernel<<<4, 64>>>(d_items, n, d_sum);
    CUDA_CHECK_LAUNCH();
}
