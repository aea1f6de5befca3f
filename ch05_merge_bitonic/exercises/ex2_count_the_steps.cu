// Exercise 5.2: count the steps                                                  (predict a number)
//
// Task: Predict how often merge_sort() launches its kernel for 1000 keys, how often bitonic_sort()
// launches its kernel for 1024 keys, and how many comparisons all threads of bitonic_sort() make in
// total.
// Given: A merge sort and a bitonic sort in their simplest form. You need no formula: read the
// loops of the two launchers.
// Required: Three exact numbers. The lab then counts.
// Read: ../README.md, "Work and steps"
// Check: ./tutorial check ch05/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include <utility>

#include "../../common/harness/cuda_check.hpp"

struct Prediction {
    double merge_launches = 0;    ///< of merge_kernel, n = 1000
    double bitonic_launches = 0;  ///< of compare_kernel, n = 1024
    double comparisons = 0;       ///< of compare_kernel, all its launches together, n = 1024
};

Prediction predict() {
    Prediction prediction;
    // TODO (about 3 lines): three numbers.
    prediction.merge_launches = 0;
    prediction.bitonic_launches = 0;
    prediction.comparisons = 0;
    // END
    return prediction;
}

__global__ void merge_kernel(const int* from, int* to, unsigned n, unsigned run) {
    const unsigned begin = 2 * run * (blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    unsigned a = begin, b = middle;
    for (unsigned i = begin; i < end; ++i) {
        const bool take_a = a < middle && (b == end || !(from[b] < from[a]));
        to[i] = from[take_a ? a++ : b++];
    }
}

/// Sorts n keys; returns the array that they are in, d_keys or d_spare.
int* merge_sort(int* d_keys, int* d_spare, unsigned n) {
    for (unsigned run = 1; run < n; run *= 2) {
        merge_kernel<<<(n + 255) / 256, 256>>>(d_keys, d_spare, n, run);
        CUDA_CHECK_LAUNCH();
        std::swap(d_keys, d_spare);
    }
    return d_keys;
}

__global__ void compare_kernel(int* keys, unsigned i, unsigned j) {
    const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lower = 2 * pair - (pair & (j - 1));
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    const int one = keys[lower], other = keys[upper];
    keys[lower] = min(one, other);  // a comparison
    keys[upper] = max(one, other);
}

/// Sorts n keys in place; n is a power of two and at least 512.
void bitonic_sort(int* d_keys, unsigned n) {
    for (unsigned i = 2; i <= n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            compare_kernel<<<n / 2 / 256, 256>>>(d_keys, i, j);
            CUDA_CHECK_LAUNCH();
        }
    }
}
