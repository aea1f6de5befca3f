// Warm-up 6: reverse each piece                                                 (fill in the blank)
//
// Task: Reverse each piece of an array in place: its first item becomes its last.
// Given: The array is cut into pieces of 256 items, one for each block. The last piece may be
// shorter.
// Required: An item must be read before another thread overwrites it, so all items go through
// shared memory. Each thread moves at most one item.
// Read: ../../first_kernel.md, "Memory for a block"
// Check: ./tutorial check first/ex6     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 256;

__global__ void turn_kernel(int* items, unsigned n) {
    __shared__ int tile[kThreads];
    const unsigned t = threadIdx.x;
    const unsigned first = blockIdx.x * kThreads;      // of the block's piece
    const unsigned length = min(kThreads, n - first);  // of the piece
    // TODO (about 3 lines): store item t of the piece in the tile; then fetch the one for place t.
    (void)tile, (void)t, (void)first, (void)length, (void)items;  // remove this line
    // END
}

/// items: n ints in device memory.
void turn_pieces(int* d_items, unsigned n) {
    if (n == 0) return;
    turn_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_items, n);
}
