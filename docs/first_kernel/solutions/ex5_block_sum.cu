// Warm-up 5: add eight numbers                                                  (fill in the blank)
//
// Task: Add the block's 8 numbers in three steps, so that values[0] becomes their sum.
// Given: Blocks of 8 threads. All 8 numbers are already in shared memory.
// Required: In the first step, threads 0 to 3 each add one other number to their own; in the second
// step, threads 0 and 1 do so; in the third, only thread 0.
// Read: ../../first_kernel.md, "Memory for a block"
// Check: ./tutorial check first/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 8;

__global__ void sums_kernel(const int* items, int* sums, unsigned n) {
    __shared__ int values[kThreads];
    const unsigned t = threadIdx.x, i = blockIdx.x * kThreads + t;
    values[t] = i < n ? items[i] : 0;
    __syncthreads();  // all 8 numbers are there
    // TODO (about 4 lines): three steps, and a barrier wherever one thread reads what others wrote.
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();  // this step is complete before the next one reads it
    }
    // END
    if (t == 0) sums[blockIdx.x] = values[0];
}

/// items: n ints, at least 1; sums: one for every 8 items, rounded up; all in device memory. The
/// last block may have fewer items. No sum is larger than an int.
void sums_of_eight(const int* d_items, int* d_sums, unsigned n) {
    sums_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_items, d_sums, n);
}
