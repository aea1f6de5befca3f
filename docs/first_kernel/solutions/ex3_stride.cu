// Warm-up 3: side by side                                                          (make it faster)
//
// Task: Assign the items differently: the 256 threads take the first 256 items side by side, one
// each, then the next 256, and so on.
// Given: Always 4 blocks of 64 threads, and any number of items; each item x becomes 2 x + 1. The
// code below gives each thread a contiguous piece of the array, as on a CPU. That is correct, but
// the 32 items that a warp reads at once are far apart.
// Required: The 32 threads of a warp use 32 items that lie side by side.
// Read: ../../first_kernel.md, "More items than threads"
// Check: ./tutorial check first/ex3     Stuck? Add --hint
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
