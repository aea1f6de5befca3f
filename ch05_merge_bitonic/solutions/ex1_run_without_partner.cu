// Exercise 5.1: runs of any length                                                   (find the bug)
//
// Task: Make merge_level() correct for every n and every run.
// Given: It merges neighbouring runs of `run` sorted keys in pairs, one thread per pair. It is
// correct as long as every run has a partner of the same length. But the last run may be shorter,
// or have no partner.
// Required: Every key comes out in its place, and nothing is read past the end of the keys.
// Read: ../README.md, "`merge_thread`"
// Check: ./tutorial check ch05/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

/// from: n keys, runs of `run` sorted keys, the last run perhaps shorter. to: the same keys, in
/// runs of 2 * run.
__global__ void merge_level_kernel(const int* from, int* to, unsigned n, unsigned run) {
    const unsigned begin = 2 * run * (blockIdx.x * blockDim.x + threadIdx.x);
    // TODO (about 7 lines): what if the keys end before the second run does, or before it begins?
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    unsigned a = begin, b = middle;
    for (unsigned i = begin; i < end; ++i) {
        const bool take_a = a < middle && (b == end || !(from[b] < from[a]));
        to[i] = from[take_a ? a++ : b++];
    }
    // END
}

/// One level of a merge sort: n >= 0 keys, run >= 1.
void merge_level(const int* d_from, int* d_to, std::size_t n, std::size_t run) {
    if (n == 0) return;
    constexpr std::size_t kThreads = 128;
    const std::size_t pairs = (n + 2 * run - 1) / (2 * run);
    const std::size_t blocks = (pairs + kThreads - 1) / kThreads;
    merge_level_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(
        d_from, d_to, static_cast<unsigned>(n), static_cast<unsigned>(run));
    CUDA_CHECK_LAUNCH();
}
