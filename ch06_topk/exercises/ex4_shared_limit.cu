// Exercise 6.4: longer lists                                                         (find the bug)
//
// Task: Correct the launch, so that it works for every k up to 400.
// Given: The code finds the 20 largest, and the 24 largest. For 25 the result is whatever was in
// that memory before. A kernel gets at most 48 KB of shared memory without opting in to more, and
// for k = 400 opting in would not help: 256 lists of that length take 800 KB.
// Required: The kernel stays as it is. Check what it requires of its number of threads.
// Read: ../README.md, "`insert`"
// Check: ./tutorial check ch06/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // an empty place differs from every int

namespace {

/// Puts `item` into the descending list top[0..k) if it belongs there; the last one falls out.
__device__ void insert_entry(Entry* top, unsigned k, Entry item) {
    if (item <= top[k - 1]) return;
    unsigned place = k - 1;
    for (; place > 0 && top[place - 1] < item; --place) top[place] = top[place - 1];
    top[place] = item;
}

/// One block: a list per thread, merged in pairs.
__global__ void largest_kernel(const int* items, std::size_t n, unsigned k, int* top) {
    extern __shared__ Entry lists[];
    Entry* const mine = lists + threadIdx.x * k;
    for (unsigned i = 0; i < k; ++i) mine[i] = kNothing;
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) insert_entry(mine, k, items[i]);
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the previous level's lists are complete
        if (threadIdx.x >= half) continue;
        for (unsigned i = 0; i < k; ++i) insert_entry(mine, k, mine[half * k + i]);
    }
    __syncthreads();  // the first list is complete
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) {
        if (lists[i] != kNothing) top[i] = static_cast<int>(lists[i]);
    }
}

}  // namespace

/// d_top: the min(k, n) largest, in descending order. k: 1 to 400.
void largest(const int* d_items, std::size_t n, unsigned k, int* d_top) {
    // TODO (about 4 lines): a launch that works for every k.
    const unsigned threads = 256;
    largest_kernel<<<1, threads, threads * k * sizeof(Entry)>>>(d_items, n, k, d_top);
    // END
}
