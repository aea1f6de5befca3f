// Exercise 6.5: more passes, so that the last one is small                      (fill in the blank)
//
// Task: Launch top_kernel again and again, each time on what the previous launch left, until a
// launch of one block writes d_top.
// Given: A block of top_kernel turns 128 items into their k largest; k is 1 to 64. The last block
// of a launch may have fewer than k items; then it writes all of them. d_first and d_second have
// room for the lists of the first launch.
// Required: All launches but the last write to d_first and d_second.
// Read: ../README.md, "`multi_pass`"
// Check: ./tutorial check ch06/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 128;

namespace {

/// Block b: the k largest of its 128 items (all of them if they are fewer) to top + b * k, in
/// descending order. An item's place is the number of those that come before it.
__global__ void top_kernel(const int* items, std::size_t n, unsigned k, int* top) {
    __shared__ int tile[kThreads];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) tile[threadIdx.x] = items[i];
    __syncthreads();  // the tile is complete
    if (i >= n) return;
    const std::size_t left = n - (i - threadIdx.x);
    const unsigned count = left < kThreads ? static_cast<unsigned>(left) : kThreads;
    const int mine = tile[threadIdx.x];
    unsigned place = 0;
    for (unsigned j = 0; j < count; ++j) {
        place += tile[j] > mine || (tile[j] == mine && j < threadIdx.x);
    }
    if (place < k) top[blockIdx.x * k + place] = mine;
}

}  // namespace

/// d_top: the min(k, n) largest, in descending order.
void top_in_passes(const int* d_items, std::size_t n, unsigned k, int* d_first, int* d_second,
                   int* d_top) {
    if (n == 0) return;
    const int* from = d_items;
    int* to = d_first;
    int* next = d_second;
    // TODO (about 10 lines): pass after pass; `from` has n items, which become fewer and fewer.
    while (n > kThreads) {
        const std::size_t blocks = (n + kThreads - 1) / kThreads;
        const std::size_t last = n - (blocks - 1) * kThreads;  // items of the last block
        top_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(from, n, k, to);
        CUDA_CHECK_LAUNCH();
        n = (blocks - 1) * k + std::min<std::size_t>(k, last);
        from = to;
        std::swap(to, next);
    }
    top_kernel<<<1, kThreads>>>(from, n, k, d_top);
    CUDA_CHECK_LAUNCH();
    // END
}
