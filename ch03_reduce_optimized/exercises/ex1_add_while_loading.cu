// Exercise 3.1: add while loading                                                (fill in the hole)
//
// Task: a block of kThreads threads takes the next kTile items, kItems of them a thread, and leaves
// their sum in partial[its number]. The tree at the end is there. Write what comes before: each
// thread adds up its own items of the block's tile in `mine`. n may be anything, so the last tile
// may be short, and nothing behind items[n - 1] may be read.
//
// Read:  ../README.md, "`contiguous`: eight items a thread, added while loading"
// Check: ./tutorial check ch03/ex1      Stuck? add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kItems = 8;  // per thread
constexpr unsigned kTile = kThreads * kItems;

__global__ void sum_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    float mine = 0.0f;
    // TODO (about 5 lines): add this thread's items of the block's tile to `mine`.
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kTile + t;
    if (i < n) mine = items[i];
    // END
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

}  // namespace

/// Leaves the sum of each tile of d_items[0..n) in d_partial, one a block; one block for n = 0.
void add_while_loading(const float* d_items, std::size_t n, float* d_partial) {
    const std::size_t blocks = n == 0 ? 1 : (n + kTile - 1) / kTile;
    sum_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}
