// Exercise 6.6: one list for all threads                                             (find the bug)
//
// Task: Find out why a key is sometimes missing, and correct the loop. It takes one line.
// Given: All threads of a block share one descending list of 20 keys. A thread whose key is larger
// than the last one of the list adds it to the waiting keys, and thread 0 inserts these. The result
// is nearly always right; sometimes one of the largest keys is missing.
// Required: The result is right in whatever order the threads run.
// Read: ../README.md, "`threshold`"
// Check: ./tutorial check ch06/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // an empty place differs from every int
constexpr unsigned kThreads = 128;
constexpr unsigned kMax = 20;

namespace {

/// Puts `item` into the descending list top[0..20) if it belongs there; the last one falls out.
__device__ void insert_entry(Entry* top, Entry item) {
    if (item <= top[kMax - 1]) return;
    unsigned place = kMax - 1;
    for (; place > 0 && top[place - 1] < item; --place) top[place] = top[place - 1];
    top[place] = item;
}

__global__ void top20_kernel(const int* items, std::size_t n, int* result) {
    __shared__ Entry top[kMax], waiting[kThreads];
    __shared__ unsigned count;
    if (threadIdx.x < kMax) top[threadIdx.x] = kNothing;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();  // the list is empty
    // TODO (about 11 lines): the same loop without the fault.
    for (std::size_t first = 0; first < n; first += kThreads) {
        const std::size_t i = first + threadIdx.x;
        const Entry item = i < n ? items[i] : kNothing;
        if (item > top[kMax - 1]) waiting[atomicAdd(&count, 1u)] = item;
        __syncthreads();  // all that pass are waiting
        if (threadIdx.x == 0) {
            for (unsigned w = 0; w < count; ++w) insert_entry(top, waiting[w]);
            count = 0;
        }
        __syncthreads();  // the list is complete, and no key is waiting
    }
    // END
    if (threadIdx.x < kMax && threadIdx.x < n) {
        result[threadIdx.x] = static_cast<int>(top[threadIdx.x]);
    }
}

}  // namespace

/// d_result: the min(20, n) largest, in descending order.
void top20(const int* d_items, std::size_t n, int* d_result) {
    if (n == 0) return;
    top20_kernel<<<1, kThreads>>>(d_items, n, d_result);
    CUDA_CHECK_LAUNCH();
}
