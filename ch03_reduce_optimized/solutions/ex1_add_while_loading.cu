// Exercise 3.1: add while loading, segment by segment                           (fill in the blank)
//
// Task: Write what comes before the tree: each thread adds its share of the segment to `mine`.
// Given: In a segmented sum, block s adds the items of segment s, from offsets[s] up to, but not
// including, offsets[s + 1], and stores their sum in sums[s]. A segment may be empty, or far longer
// than a block.
// Required: All kThreads threads take part, neighbours read neighbours, and each item is read once.
// Read: ../README.md, "`coalesced`: the same eight items, a block apart"
// Check: ./tutorial check ch03/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

constexpr unsigned kThreads = 256;

__global__ void segments_kernel(const float* items, const std::size_t* offsets, float* sums) {
    __shared__ float tree[kThreads];
    const unsigned t = threadIdx.x;
    float mine = 0.0f;
    // TODO (about 4 lines): add this thread's share of the block's segment to `mine`.
    const std::size_t end = offsets[blockIdx.x + 1];
    for (std::size_t i = offsets[blockIdx.x] + t; i < end; i += kThreads) mine += items[i];
    // END
    tree[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) sums[blockIdx.x] = tree[0];
}

}  // namespace

/// d_offsets: segments + 1 numbers, none less than the one before. d_sums: the sum of each segment.
void segment_sums(const float* d_items, const std::size_t* d_offsets, unsigned segments,
                  float* d_sums) {
    if (segments == 0) return;
    segments_kernel<<<segments, kThreads>>>(d_items, d_offsets, d_sums);
    CUDA_CHECK_LAUNCH();
}
