// Exercise 4.5: a tree for every block                                          (fill in the blank)
//
// Task: Make the tree correct for every block of 1 to 1024 threads.
// Given: The chapter's tree is in the blank. It is correct for 64 threads, but loses sums for 96:
// 96, 48, 24, 12, 6, 3, and then?
// Required: The tree gets no higher: with t threads there are at most log2(t) barriers in the
// blank, rounded up, and no thread adds more than one sum per level.
// Read: ../README.md, "`tree`: the block adds in a tree"
// Check: ./tutorial check ch04/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

/// The sum of all threads' `mine`, in thread 0. Every thread of the block must call it, once.
__device__ Sum block_sum(Sum mine) {
    __shared__ Sum sums[1024];
    const unsigned t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    // TODO (about 6 lines): leave the sum of sums[0..blockDim.x) in sums[0].
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    // END
    return t == 0 ? sums[0] : 0;
}

__global__ void squares_kernel(const int* items, Sum* sums) {
    const long long item = items[blockIdx.x * blockDim.x + threadIdx.x];
    const Sum sum = block_sum(static_cast<Sum>(item * item));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

/// d_sums[b] becomes the sum of the squares of the items from d_items[threads * b] on, one per
/// thread, for each of the blocks. `threads`: 1 to 1024.
void any_tree(const int* d_items, unsigned blocks, unsigned threads, Sum* d_sums) {
    squares_kernel<<<blocks, threads>>>(d_items, d_sums);
    CUDA_CHECK_LAUNCH();
}
