// Exercise 1.2: a sort that is nearly always right                                   (find the bug)
//
// Task: Find out what is wrong with this kernel, and fix it.
// Given: It sorts up to 2049 ints in shared memory, and its result is nearly always right. The same
// was true of a program from 2008.
// Required: The shared array keeps its length. n ints are enough, and a longer array would only
// hide the mistake.
// Read: ../README.md, "`shared`"
// Check: ./tutorial check ch01/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

// TODO (about 25 lines): one of these lines is wrong, for some n.
__global__ void sort_kernel(int* keys, unsigned n) {
    extern __shared__ int tile[];  // n ints
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tile[i] = keys[i];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned step = 0; step < n; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < n && tile[i] > tile[i + 1]) {
            const int other = tile[i];
            tile[i] = tile[i + 1];
            tile[i + 1] = other;
        }
        __syncthreads();  // between half-steps; after the last: before the keys are stored
    }
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) keys[i] = tile[i];
}

/// Sorts d_keys[0], ..., d_keys[n - 1]; n may be 0, and is at most 2049.
void sort_keys(int* d_keys, unsigned n) {
    if (n < 2) return;
    sort_kernel<<<1, n / 2, n * sizeof(int)>>>(d_keys, n);
    CUDA_CHECK_LAUNCH();
}
// END
