// Warm-up 6: turn it round                                                      (fill in the blank)
//
// Task: the items are cut into pieces of 256, one for each block; the last piece may be shorter.
// Each block reverses its piece, in place: the first item becomes the last. An item must be read
// before another thread overwrites it, so all of them go to shared memory first. Each thread moves
// at most one item.
// Read: ../../first_kernel.md, "Memory for a block"
// Check: ./tutorial check first/ex6      Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 256;

__global__ void turn_kernel(int* items, unsigned n) {
    __shared__ int tile[kThreads];
    const unsigned t = threadIdx.x;
    const unsigned first = blockIdx.x * kThreads;      // of the block's piece
    const unsigned length = min(kThreads, n - first);  // of the piece
    // TODO (about 3 lines): item t of the piece to shared memory; then the one for place t back.
    if (t < length) tile[t] = items[first + t];
    __syncthreads();  // the piece is complete, and everything in it has been read
    if (t < length) items[first + t] = tile[length - 1 - t];
    // END
}

/// items: n ints in device memory.
void turn_pieces(int* d_items, unsigned n) {
    if (n == 0) return;
    turn_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_items, n);
}
