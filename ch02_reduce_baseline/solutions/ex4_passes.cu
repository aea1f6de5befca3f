// Exercise 2.4: divergence and bank conflicts, by hand                           (predict a number)
//
// Task: Predict the requests and passes of the line with `+=`, which stores a sum in shared memory.
// Given: Three blocks of 256 threads add 256 floats each, by the chapter's three methods. A warp
// makes one request each time it reaches the line with at least one lane that adds. Each request
// takes one pass or more. The chapter has the table for 512 threads, with one more level.
// Required: Six exact numbers, over all levels and all 8 warps.
// Read: ../README.md, "`compact`"
// Check: ./tutorial check ch02/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 256;

__global__ void neighbour_kernel(const float* items, float* sum) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = items[t];
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        if (t % (2 * s) == 0) sums[t] += sums[t + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) *sum = sums[0];
}

__global__ void compact_kernel(const float* items, float* sum) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = items[t];
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        const unsigned left = 2 * s * t;
        if (left < kThreads) sums[left] += sums[left + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) *sum = sums[0];
}

__global__ void sequential_kernel(const float* items, float* sum) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = items[t];
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) *sum = sums[0];
}

struct Prediction {
    double neighbour_requests, neighbour_passes;
    double compact_requests, compact_passes;
    double sequential_requests, sequential_passes;
};

Prediction prediction() {
    Prediction guess = {};
    // TODO (about 6 lines): six numbers; as sums over the levels, if you like.
    guess.neighbour_requests = 5 * 8 + 4 + 2 + 1;  // 8 warps, until their lanes 0 alone are left
    guess.neighbour_passes = guess.neighbour_requests;  // the lanes of a warp lie within 32 words
    guess.compact_requests = 4 + 2 + 6 * 1;             // 128 threads, 64, 32, 16, 8, 4, 2, 1
    guess.compact_passes = 4 * 2 + 2 * 4 + 8 + 8 + 8 + 4 + 2 + 1;
    guess.sequential_requests = guess.compact_requests;
    guess.sequential_passes = guess.sequential_requests;  // neighbouring words
    // END
    return guess;
}

void neighbour(const float* d_items, float* d_sum) {
    neighbour_kernel<<<1, kThreads>>>(d_items, d_sum);
}
void compact(const float* d_items, float* d_sum) {
    compact_kernel<<<1, kThreads>>>(d_items, d_sum);
}
void sequential(const float* d_items, float* d_sum) {
    sequential_kernel<<<1, kThreads>>>(d_items, d_sum);
}
