// Exercise 6.7: a queue in the registers of a warp                              (fill in the blank)
//
// Task: Complete offer(): insert `next` into the queue.
// Given: Lane i holds the i-th largest key so far, `mine`. `next` is the same in all lanes.
// Required: A lane whose key is at least as large as `next` keeps it; the others move up by one
// lane, and lane 31's key drops out. If `next` is too small, nothing changes. No memory, and no
// loop over lanes: a lane learns about others only by ballots and shuffles.
// Read: ../README.md, "`warp_queue`"
// Check: ./tutorial check ch06/ex7     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

using Entry = long long;               // wider than an int, so that
constexpr Entry kNothing = LLONG_MIN;  // an empty place differs from every int
constexpr unsigned kFullMask = 0xFFFFFFFFu;

namespace {

/// Offers every lane's item to the warp's queue. All lanes of the warp must call it.
__device__ void offer(Entry item, Entry& mine) {
    const unsigned lane = threadIdx.x % 32;
    // One bit for each lane whose item beats the last of the queue.
    unsigned waiting = __ballot_sync(kFullMask, item > __shfl_sync(kFullMask, mine, 31));
    while (waiting != 0) {
        const int from = __ffs(static_cast<int>(waiting)) - 1;
        waiting &= waiting - 1;
        const Entry next = __shfl_sync(kFullMask, item, from);
        // TODO (about 4 lines): which place does `next` get? Who moves up?
        if (lane == 31 && next > mine) mine = next;
        // END
    }
}

/// One warp per row: its 32 largest.
__global__ void top32_kernel(const int* items, std::size_t columns, int* top) {
    const int* const row = items + blockIdx.x * columns;
    Entry mine = kNothing;
    // `first` is the same in all lanes: all of them take part in every offer.
    for (std::size_t first = 0; first < columns; first += 32) {
        const std::size_t i = first + threadIdx.x;
        offer(i < columns ? row[i] : kNothing, mine);
    }
    const std::size_t most = columns < 32 ? columns : 32;
    if (threadIdx.x < most) top[blockIdx.x * most + threadIdx.x] = static_cast<int>(mine);
}

}  // namespace

/// d_items: rows x columns. d_top: rows x min(32, columns), each in descending order.
void top32_of_rows(const int* d_items, std::size_t rows, std::size_t columns, int* d_top) {
    if (rows == 0) return;
    top32_kernel<<<static_cast<unsigned>(rows), 32>>>(d_items, columns, d_top);
    CUDA_CHECK_LAUNCH();
}
