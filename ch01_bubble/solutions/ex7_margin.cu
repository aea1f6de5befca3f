// Exercise 1.7: how far a key travels                                                (find the bug)
//
// Task: Find out why some keys are lost, and correct the blank.
// Given: One launch does 16 half-steps. A block owns 128 keys. It loads them and a margin on both
// sides, does the half-steps in shared memory, and stores its own keys in another array. Nearly
// sorted keys come out right; with others, some keys are lost and some appear twice.
// Required: A block loads all the keys that it needs, and no others.
// Read: ../fastest.md, "`halo`"
// Check: ./tutorial check ch01/ex7     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 64;
constexpr unsigned kOwn = 128;   // keys that a block owns
constexpr unsigned kSteps = 16;  // half-steps of a launch
constexpr unsigned kMax = 512;   // keys that the tile has room for

__device__ void compare_exchange(int& low, int& high) {
    const int smaller = min(low, high), larger = max(low, high);
    low = smaller;
    high = larger;
}

__global__ void steps_kernel(const int* from, int* to, unsigned n) {
    __shared__ int tile[kMax];
    const unsigned own = blockIdx.x * kOwn;  // the first key that the block owns
    // TODO (about 3 lines): which keys does the block need: from `begin` up to `end`?
    const unsigned margin = kSteps;  // in a half-step a key travels one place
    const unsigned begin = own < margin ? 0 : own - margin;
    const unsigned end = min(own + kOwn + margin, n);
    // END
    for (unsigned i = begin + threadIdx.x; i < end; i += kThreads) tile[i - begin] = from[i];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned step = 0; step < kSteps; ++step) {
        unsigned i = begin + (begin + step) % 2 + 2 * threadIdx.x;  // even or odd, as the step is
        for (; i + 1 < end; i += 2 * kThreads) {
            compare_exchange(tile[i - begin], tile[i + 1 - begin]);
        }
        __syncthreads();  // between half-steps, and before the keys are stored
    }
    for (unsigned i = own + threadIdx.x; i < min(own + kOwn, n); i += kThreads) {
        to[i] = tile[i - begin];
    }
}

/// Half-step s (0 to 15) compares keys i and i + 1, for even i if s is even, for odd i if it is
/// odd.
void half_steps(const int* d_from, int* d_to, unsigned n) {
    if (n == 0) return;
    steps_kernel<<<(n + kOwn - 1) / kOwn, kThreads>>>(d_from, d_to, n);
    CUDA_CHECK_LAUNCH();
}
