// Exercise 5.6: many steps in one launch                                           (make it faster)
//
// Task: Write sort_fused(), which does all steps that stay within a tile of 1024 keys in shared
// memory, as many of them in one launch as it can.
// Given: sort_by_steps() is correct, but launches a kernel for every step.
// Required: One launch does all levels up to i = 1024. In each higher level, every step of distance
// 1024 or more gets its own launch, and one launch does the rest. At most 6 launches for 4096 keys.
// Read: ../README.md, "`bitonic_shared`"
// Check: ./tutorial check ch05/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kTile = 1024;

/// The comparison number `pair` of step (i, j), for any n: see bitonic_compare() in ../main.cu.
__device__ void compare(int* keys, unsigned n, unsigned pair, unsigned i, unsigned j) {
    const unsigned lower = 2 * pair - (pair & (j - 1));
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    if (upper >= n) return;
    const int one = keys[lower], other = keys[upper];
    keys[lower] = min(one, other);
    keys[upper] = max(one, other);
}

__global__ void step_kernel(int* keys, unsigned n, unsigned i, unsigned j) {
    compare(keys, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
}

/// One step, in global memory. n >= 1.
void do_step(int* d_keys, unsigned n, unsigned i, unsigned j) {
    unsigned pairs = 1;
    while (2 * pairs < n) pairs *= 2;
    step_kernel<<<(pairs + 255) / 256, 256>>>(d_keys, n, i, j);
    CUDA_CHECK_LAUNCH();
}

void sort_by_steps(int* d_keys, std::size_t count) {
    const unsigned n = static_cast<unsigned>(count);
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) do_step(d_keys, n, i, j);
    }
}

// TODO (about 26 lines): a kernel for tiles, and sort_fused(), which uses it.
/// Loads every tile into shared memory, and stores it again. The steps in between are missing.
__global__ void tile_kernel(int* keys, unsigned n) {
    __shared__ int tile[kTile];
    const unsigned begin = blockIdx.x * kTile;
    const unsigned count = min(kTile, n - begin);
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) tile[k] = keys[begin + k];
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) keys[begin + k] = tile[k];
}

void sort_fused(int* d_keys, std::size_t n) { sort_by_steps(d_keys, n); }
// END
