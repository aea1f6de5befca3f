// Warm-up 1: brighter pixels                                                    (fill in the blank)
//
// Task: Make every pixel of a picture brighter by `amount`, but never more than 255.
// Given: n pixels, each a number from 0 (black) to 255 (white); an `amount` from 0 to 255. The grid
// has at least n threads, and often a few more.
// Required: Each thread handles one pixel.
// Read: ../../first_kernel.md, "Line by line"
// Check: ./tutorial check first/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__global__ void brighter_kernel(const unsigned char* from, unsigned char* to, int n, int amount) {
    // TODO (about 3 lines): which pixel is mine? Is there one? Then store its new value.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = min(from[i] + amount, 255);
    // END
}

/// from, to: n pixels each in device memory.
void brighter(const unsigned char* d_from, unsigned char* d_to, int n, int amount) {
    const int blocks = n / kThreads + 1;
    brighter_kernel<<<blocks, kThreads>>>(d_from, d_to, n, amount);
}
