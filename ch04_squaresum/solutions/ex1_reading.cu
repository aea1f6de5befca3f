// Exercise 4.1: who reads what?                                                  (predict a number)
//
// Task: Predict the numbers that the comments next to the struct's members describe.
// Given: Three kernels read the same ints in different orders. A request is one load of one warp,
// by those lanes that have an item left; it brings whole sectors of 32 bytes. d_items begins at the
// start of a sector.
// Required: Five numbers. Pencil and paper are enough.
// Read: ../README.md, "`chunked`" and "`interleaved`"
// Check: ./tutorial check ch04/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

__global__ void one_thread_kernel(const int* items, unsigned n, Sum* sums) {
    Sum sum = 0;
    for (unsigned i = 0; i < n; ++i) sum += static_cast<Sum>(items[i]);
    sums[0] = sum;
}

__global__ void chunked_kernel(const int* items, unsigned n, Sum* sums) {
    const unsigned piece = (n + blockDim.x - 1) / blockDim.x;
    const unsigned begin = threadIdx.x * piece;
    const unsigned end = begin + piece < n ? begin + piece : n;
    Sum sum = 0;
    for (unsigned i = begin; i < end; ++i) sum += static_cast<Sum>(items[i]);
    sums[threadIdx.x] = sum;
}

__global__ void interleaved_kernel(const int* items, unsigned n, Sum* sums) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    Sum sum = 0;
    for (unsigned i = thread; i < n; i += gridDim.x * blockDim.x) sum += static_cast<Sum>(items[i]);
    sums[thread] = sum;
}

}  // namespace

struct Reading {
    double bytes_one;  ///< bytes that all its loads move: one_thread_kernel<<<1, 1>>>, n = 1000
    double sectors_chunked;   ///< a request, on average: chunked_kernel<<<1, 128>>>, n = 640
    double most_items;        ///< of one thread: interleaved_kernel<<<8, 64>>>, n = 10,000
    double requests;          ///< of all warps: the same launch
    double sectors_requests;  ///< of all these requests
};

Reading predict() {
    Reading reading = {};
    // TODO (about 5 lines): your numbers.
    reading.bytes_one = 1000 * 32;    // a sector for each load, though the next is in it, too
    reading.sectors_chunked = 20;     // pieces of 5 ints: 32 lanes, 20 bytes apart, 640 bytes
    reading.most_items = 20;          // 10,000 = 19 * 512 + 272
    reading.requests = 19 * 16 + 9;   // 16 warps; in the last round 272 threads, 8.5 warps
    reading.sectors_requests = 1250;  // every byte once: 40,000 / 32
    // END
    return reading;
}

/// `which` of the three, in the order above.
void launch(int which, const int* d_items, unsigned n, Sum* d_sums) {
    if (which == 0) one_thread_kernel<<<1, 1>>>(d_items, n, d_sums);
    if (which == 1) chunked_kernel<<<1, 128>>>(d_items, n, d_sums);
    if (which == 2) interleaved_kernel<<<8, 64>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}
