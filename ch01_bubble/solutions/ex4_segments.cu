// Exercise 1.4: many blocks, alternating segments                               (fill in the blank)
//
// Task: Sort n keys with many blocks: launch the kernel once per round, as often as needed.
// Given: In the kernel, block b sorts the 64 keys that begin at first + 64 b, or as many as are
// left. In every other round the segments begin half a segment later, so that keys can cross the
// old borders.
// Required: No block begins at n or beyond, and there are no more rounds than the worst case needs.
// Read: ../README.md, "`tiles`"
// Check: ./tutorial check ch01/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kSegment = 64;

__global__ void sort_segments_kernel(int* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) tile[i] = keys[begin + i];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned step = 0; step < count; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < count && tile[i + 1] < tile[i]) {
            const int other = tile[i];
            tile[i] = tile[i + 1];
            tile[i + 1] = other;
        }
        __syncthreads();  // between half-steps; after the last: before the keys are stored
    }
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) keys[begin + i] = tile[i];
}

/// Rounded up.
unsigned divide_up(unsigned a, unsigned b) { return (a + b - 1) / b; }

/// Sorts d_keys[0], ..., d_keys[n - 1]; n may be 0 or 1.
void sort_keys(int* d_keys, unsigned n) {
    // TODO (about 7 lines): as many rounds as are needed, with kSegment / 2 threads per block.
    const unsigned half = kSegment / 2;
    const unsigned rounds = n < 2 ? 0 : n <= kSegment ? 1 : divide_up(n, half);
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned first = round % 2 * half;
        sort_segments_kernel<<<divide_up(n - first, kSegment), half>>>(d_keys, n, first);
        CUDA_CHECK_LAUNCH();
    }
    // END
}
