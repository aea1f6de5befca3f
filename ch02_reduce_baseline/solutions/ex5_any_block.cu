// Exercise 2.5: the largest of 96 items, and its index                             (make it faster)
//
// Task: Rewrite the tree, so that whole warps work and neighbouring threads use neighbouring words.
// Given: A block of 96 threads finds the largest of its 96 floats and its index, or the first index
// if there are several. The tree is correct, but at each level threads all over the block have
// something to do. Half of 96 is 48, then 24, 12, 6 and 3: but what is half of 3?
// Required: For one block at most 60 requests to shared memory, loads and stores (over 90 now), one
// pass each, and at most 8 barriers.
// Read: ../README.md, "`sequential`"
// Check: ./tutorial check ch02/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 96;

struct Candidate {
    float value;
    unsigned index;
};

/// Of two equal values, the one with the lower index is better.
__device__ bool is_better(Candidate one, Candidate other) {
    return one.value > other.value || (one.value == other.value && one.index < other.index);
}

__global__ void largest_kernel(const float* items, std::size_t n, float* largest, unsigned* place) {
    __shared__ float values[kThreads];
    __shared__ unsigned indices[kThreads];
    const unsigned t = threadIdx.x, i = blockIdx.x * kThreads + t;
    Candidate best = {i < n ? items[i] : -INFINITY, i};  // a missing item is never better
    values[t] = best.value;
    indices[t] = best.index;
    __syncthreads();  // every candidate is there
    // TODO (about 11 lines): leave the best in values[0] and indices[0]; use the first threads.
    for (unsigned left = kThreads; left > 1;) {
        const unsigned half = (left + 1) / 2;  // where `left` is odd the middle one has no partner
        if (t + half < left) {
            const Candidate other = {values[t + half], indices[t + half]};
            if (is_better(other, best)) best = other;
            values[t] = best.value;
            indices[t] = best.index;
        }
        __syncthreads();  // this level is complete before the next reads it
        left = half;
    }
    // END
    if (t == 0) largest[blockIdx.x] = values[0];
    if (t == 0) place[blockIdx.x] = indices[0];
}

/// d_largest, d_place: one for each 96 items. n >= 1.
void largest_of_blocks(const float* d_items, std::size_t n, float* d_largest, unsigned* d_place) {
    const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    largest_kernel<<<blocks, kThreads>>>(d_items, n, d_largest, d_place);
    CUDA_CHECK_LAUNCH();
}
