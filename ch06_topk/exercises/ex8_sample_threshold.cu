// Exercise 6.8: a threshold before the first key                                   (make it faster)
//
// Task: Find a better threshold, from a sample of at most 1024 keys, with one block of 128 threads.
// Given: candidates_kernel keeps every key that reaches the threshold. These must include the k
// largest, so at least k keys must reach it, or all if there are fewer. The threshold below, the
// smallest of the first k keys, is correct but much too low. k is 1 to 128.
// Required: The threshold is correct whatever the data are. For n = 16384 and k = 8, at most one
// key in sixteen reaches it, in random order and in sorted order.
// Read: ../fastest.md, "`sample_threshold`"
// Check: ./tutorial check ch06/ex8     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // below every int there is still a threshold
constexpr unsigned kThreads = 128;

namespace {

/// One block: a threshold that at least min(k, n) of the items reach.
__global__ void threshold_kernel(const int* items, std::size_t n, unsigned k, Entry* threshold) {
    // TODO (about 15 lines): the maximum of some keys per thread; the k-th largest of these maxima.
    if (threadIdx.x == 0) {
        Entry least = n < k ? kNothing : items[0];
        for (unsigned i = 0; i < k && i < n; ++i) {
            if (items[i] < least) least = items[i];
        }
        *threshold = least;
    }
    // END
}

/// Keeps the keys that reach the threshold, in any order.
__global__ void candidates_kernel(const int* items, std::size_t n, const Entry* threshold,
                                  int* candidates, unsigned* count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && items[i] >= *threshold) candidates[atomicAdd(count, 1u)] = items[i];
}

}  // namespace

/// d_threshold: one entry. d_candidates: room for n. d_count: how many there are; 0 before the
/// call.
void find_candidates(const int* d_items, std::size_t n, unsigned k, long long* d_threshold,
                     int* d_candidates, unsigned* d_count) {
    threshold_kernel<<<1, kThreads>>>(d_items, n, k, d_threshold);
    CUDA_CHECK_LAUNCH();
    const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    if (blocks == 0) return;
    candidates_kernel<<<blocks, kThreads>>>(d_items, n, d_threshold, d_candidates, d_count);
    CUDA_CHECK_LAUNCH();
}
