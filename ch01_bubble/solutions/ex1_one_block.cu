// Exercise 1.1: sort in one block, in descending order                          (fill in the blank)
//
// Task: Sort n ints in place, in descending order, by odd-even half-steps.
// Given: One block of n / 2 threads, but never more than 64. If there are more pairs than threads,
// a thread takes several pairs.
// Required: All threads share the work. The keys stay in global memory; exercise 1.3 uses shared
// memory.
// Read: ../README.md, "`global`"
// Check: ./tutorial check ch01/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include <algorithm>

#include "../../common/harness/cuda_check.hpp"

/// Afterwards `low` is not larger than `high`.
__device__ void compare_exchange(int& low, int& high) {
    if (high < low) {
        const int other = low;
        low = high;
        high = other;
    }
}

__global__ void sort_kernel(int* keys, unsigned n) {
    // TODO (about 6 lines): n half-steps, one after the other; all pairs of a half-step at once.
    for (unsigned step = 0; step < n; ++step) {
        for (unsigned i = 2 * threadIdx.x + step % 2; i + 1 < n; i += 2 * blockDim.x) {
            compare_exchange(keys[i + 1], keys[i]);
        }
        __syncthreads();  // between half-steps: the next one's pairs straddle these
    }
    // END
}

/// Sorts d_keys[0], ..., d_keys[n - 1], the largest first; n may be 0.
void sort_keys(int* d_keys, unsigned n) {
    if (n < 2) return;
    sort_kernel<<<1, std::min(n / 2, 64u)>>>(d_keys, n);
    CUDA_CHECK_LAUNCH();
}
