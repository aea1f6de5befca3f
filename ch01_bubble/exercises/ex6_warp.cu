// Exercise 1.6: a warp needs no barrier                                            (make it faster)
//
// Task: Sort in registers: each lane keeps one key, and gets its neighbour's key by a shuffle.
// Given: Each warp sorts 32 keys. The code below does so in shared memory, with 33 barriers. In odd
// half-steps lanes 0 and 31 have no partner.
// Required: No shared memory, no barrier, no __syncwarp(), and at most one shuffle per half-step.
// All 32 lanes must execute each shuffle.
// Read: ../README.md, "`shuffle`"
// Check: ./tutorial check ch01/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 128;
constexpr unsigned kLanes = 32;

/// Sorts keys 0..31, 32..63, and so on, each 32 by themselves; the last may be fewer.
__global__ void sort_runs_kernel(int* keys, unsigned n) {
    const unsigned at = blockIdx.x * kThreads + threadIdx.x;
    const unsigned lane = threadIdx.x % kLanes;
    int key = at < n ? keys[at] : INT_MAX;  // what is past the end stays there
    // TODO (about 6 lines): 32 half-steps of this lane's `key`.
    __shared__ int tile[kThreads];
    const unsigned t = threadIdx.x;
    tile[t] = key;
    __syncthreads();  // threads compare keys that others wrote
    for (unsigned step = 0; step < kLanes; ++step) {
        if (lane % 2 == step % 2 && lane + 1 < kLanes && tile[t + 1] < tile[t]) {
            const int other = tile[t];
            tile[t] = tile[t + 1];
            tile[t + 1] = other;
        }
        __syncthreads();  // between half-steps; after the last: before the keys are read
    }
    key = tile[t];
    // END
    if (at < n) keys[at] = key;
}

/// n may be 0.
void sort_runs(int* d_keys, unsigned n) {
    if (n == 0) return;
    sort_runs_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_keys, n);
    CUDA_CHECK_LAUNCH();
}
