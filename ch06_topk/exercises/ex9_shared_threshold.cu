// Exercise 6.9: one threshold for all blocks                                       (make it faster)
//
// Task: Let all blocks use the highest threshold that any of them has found, in *highest.
// Given: Each block reads 1024 keys, and keeps as candidates those that may be among the 8 largest
// of all. A key passes if it is above the block's threshold, the 8th largest key of the block so
// far. But every block begins without a threshold.
// Required: The candidates still include the 8 largest keys, whatever the data and the order of the
// blocks. For n = 16384 keys in random order, at most 350 keys pass (2413 now).
// Read: ../README.md, "`shared_threshold`"
// Check: ./tutorial check ch06/ex9     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // below every int there is still a threshold
constexpr unsigned kThreads = 128;
constexpr unsigned kItemsPerBlock = 1024;
constexpr unsigned kBest = 8;

namespace {

/// Puts `item` into the descending list top[0..8) if it belongs there; the last one falls out.
__device__ void insert_entry(Entry* top, Entry item) {
    if (item <= top[kBest - 1]) return;
    unsigned place = kBest - 1;
    for (; place > 0 && top[place - 1] < item; --place) top[place] = top[place - 1];
    top[place] = item;
}

/// *highest: the highest threshold so far, kNothing at first.
__global__ void candidates_kernel(const int* items, std::size_t n, [[maybe_unused]] Entry* highest,
                                  int* candidates, unsigned* count) {
    __shared__ Entry top[kBest], waiting[kThreads], threshold;
    __shared__ unsigned passed;
    if (threadIdx.x < kBest) top[threadIdx.x] = kNothing;
    if (threadIdx.x == 0) passed = 0;
    __syncthreads();  // the list is empty
    for (unsigned first = 0; first < kItemsPerBlock; first += kThreads) {
        if (threadIdx.x == 0) {
            for (unsigned w = 0; w < passed; ++w) insert_entry(top, waiting[w]);
            passed = 0;
            // TODO (about 2 lines): the highest threshold of all blocks; publish this block's own.
            threshold = top[kBest - 1];
            // END
        }
        __syncthreads();  // the threshold of this round is there
        const std::size_t i =
            static_cast<std::size_t>(blockIdx.x) * kItemsPerBlock + first + threadIdx.x;
        const Entry item = i < n ? items[i] : kNothing;
        if (item > threshold) {
            waiting[atomicAdd(&passed, 1u)] = item;
            candidates[atomicAdd(count, 1u)] = static_cast<int>(item);
        }
        __syncthreads();  // all that pass are waiting
    }
}

}  // namespace

/// d_highest: one entry, LLONG_MIN before the call. d_candidates: room for n. d_count: how many
/// there are; 0 before the call.
void keep_candidates(const int* d_items, std::size_t n, long long* d_highest, int* d_candidates,
                     unsigned* d_count) {
    if (n == 0) return;
    const std::size_t blocks = (n + kItemsPerBlock - 1) / kItemsPerBlock;
    candidates_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(d_items, n, d_highest,
                                                                   d_candidates, d_count);
    CUDA_CHECK_LAUNCH();
}
