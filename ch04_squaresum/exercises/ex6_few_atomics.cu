// Exercise 4.6: fewer atomic operations                                            (make it faster)
//
// Task: Let each block add its threads' sums first, and then add the block's sum to *sum.
// Given: Every thread adds its sum to the one result, and all of them wait for that word. The
// result is correct, because integers may be added in any order. A block has kThreads threads. *sum
// is 0 before the launch.
// Required: Each block does only one atomic operation in global memory.
// Read: ../README.md, "`atomic`: the blocks add to one result"
// Check: ./tutorial check ch04/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

constexpr unsigned kThreads = 256;

/// Adds the sums of all threads of the block to *sum. Every thread must call it, once.
__device__ void add_to_result(Sum mine, Sum* sum) {
    // TODO (about 9 lines): add the block's sums first.
    atomicAdd(sum, mine);
    // END
}

__global__ void squares_kernel(const int* items, std::size_t n, Sum* sum) {
    Sum mine = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += threads) {
        const long long item = items[i];
        mine += static_cast<Sum>(item * item);
    }
    add_to_result(mine, sum);
}

}  // namespace

/// *d_sum becomes the sum of the squares of d_items[0..n).
void few_atomics(const int* d_items, std::size_t n, unsigned blocks, Sum* d_sum) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(Sum)));
    squares_kernel<<<blocks, kThreads>>>(d_items, n, d_sum);
    CUDA_CHECK_LAUNCH();
}
