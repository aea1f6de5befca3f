// Warm-up 3: side by side                                                          (make it faster)
//
// Task: always 4 blocks of 64 threads, and any number of items; each item x becomes 2 x + 1. Here
// each thread takes a contiguous piece of items, as on a CPU. That is right, but the 32 items that
// a warp reads at once are far apart. Assign the items the other way: the 256 threads side by side
// take the first 256 items, then all of them move on to the next 256.
// Read: ../../first_kernel.md, "More items than threads"
// Check: ./tutorial check first/ex3      Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kBlocks = 4, kThreads = 64;

__global__ void odd_kernel(int* items, unsigned n) {
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = gridDim.x * blockDim.x;
    // TODO (about 3 lines): which thread takes which items?
    for (unsigned i = me; i < n; i += all) items[i] = 2 * items[i] + 1;
    // END
}

/// items: n ints in device memory, from -1,000 to 1,000; changed where they are.
void make_odd(int* d_items, unsigned n) { odd_kernel<<<kBlocks, kThreads>>>(d_items, n); }
