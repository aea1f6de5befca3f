// Exercise 4.4: a place for each of what?                                            (find the bug)
//
// Task: Find out what is wrong with the block's sum, and fix it.
// Given: Each block adds its threads' sums in shared memory. A program from 2014 had the same
// mistake, and its sums still came out right: there was room after the array, and nothing else
// wrote there.
// Required: Each block still stores one sum, and every item is squared once.
// Read: ../README.md, "`thread0`: each block adds its own sums"
// Check: ./tutorial check ch04/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

constexpr unsigned kBlocks = 8;
constexpr unsigned kThreads = 64;  // per block

__device__ Sum square(int item) {
    const long long wide = item;
    return static_cast<Sum>(wide * wide);
}

__global__ void squares_kernel(const int* items, std::size_t n, Sum* sums) {
    Sum mine = 0;
    for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) {
        mine += square(items[i]);
    }
    // TODO (about 8 lines): the block's sum; what is wrong with it?
    __shared__ Sum block_sums[kBlocks];
    block_sums[threadIdx.x] = mine;
    __syncthreads();  // every thread's sum is there
    if (threadIdx.x == 0) {
        Sum sum = 0;
        for (unsigned t = 0; t < kThreads; ++t) sum += block_sums[t];
        sums[blockIdx.x] = sum;
    }
    // END
}

}  // namespace

/// Leaves the sum of each block in d_sums[0..8); they add up to the sum of all squares.
void block_sums(const int* d_items, std::size_t n, Sum* d_sums) {
    squares_kernel<<<kBlocks, kThreads>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}
