// Exercise 5.5: four blocks together                                                 (find the bug)
//
// Task: Find out why this sort sometimes fails, and fix it. The launcher is in the blank as well.
// Given: The sort does all steps in one launch, as the article's does, with a barrier between the
// steps. It is right for 512 keys or fewer, and only sometimes for more.
// Required: Keep one thread per pair of keys, and blocks of 256 threads: one block that does
// everything is not a solution.
// Read: ../README.md, "`bitonic_global`"
// Check: ./tutorial check ch05/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kThreads = 256;

/// The comparison number `pair` of step (i, j). For any n: see bitonic_compare() in ../main.cu.
__device__ void compare(int* keys, unsigned n, unsigned pair, unsigned i, unsigned j) {
    const unsigned lower = 2 * pair - (pair & (j - 1));
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    if (upper >= n) return;
    const int one = keys[lower], other = keys[upper];
    keys[lower] = min(one, other);
    keys[upper] = max(one, other);
}

/// As many blocks as are needed for a thread per pair of n >= 1 keys.
unsigned blocks_for(unsigned n) {
    unsigned pairs = 1;
    while (2 * pairs < n) pairs *= 2;
    return (pairs + kThreads - 1) / kThreads;
}

// TODO (about 14 lines): which threads wait at the barrier? Correct the kernel and the launcher.
__global__ void step_kernel(int* keys, unsigned n, unsigned i, unsigned j) {
    compare(keys, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
}

void bitonic_sort(int* d_keys, std::size_t count) {
    const unsigned n = static_cast<unsigned>(count);
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            step_kernel<<<blocks_for(n), kThreads>>>(d_keys, n, i, j);
            CUDA_CHECK_LAUNCH();
        }
    }
}
// END
