// Warm-up 10: the shape of a launch                                              (predict a number)
//
// Task: Predict, for each of two launches, how many blocks and how many warps there are, and how
// many of these warps reach the line that stores with at least one thread.
// Given: One launch in one dimension and one in two, both below. The threads of a block are
// numbered along x first, and 32 consecutive threads are a warp.
// Required: Six exact numbers. Pencil and paper are enough.
// Read: ../../first_kernel.md, "Two dimensions"
// Check: ./tutorial check first/ex10     Stuck? Add --hint
#include <cuda_runtime.h>

struct Prediction {
    double row_blocks, row_warps, row_storing;
    double picture_blocks, picture_warps, picture_storing;
};

Prediction prediction() {
    Prediction guess = {};
    // TODO (about 6 lines): six numbers; as products and sums, if you like.
    guess.row_blocks = 6;  // five of 192 are 960, so a sixth one has 40 items
    guess.row_warps = 6 * 6;
    guess.row_storing = 5 * 6 + 2;  // 40 items keep two warps busy
    guess.picture_blocks = 7 * 5;
    guess.picture_warps = 7 * 5 * 8;            // 256 threads: 8 warps, each 2 rows of 16
    guess.picture_storing = 7 * 4 * 8 + 7 * 3;  // below there are 70 - 64 rows, 2 a warp
    // END
    return guess;
}

__global__ void row_kernel(int* items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] = i;
}

__global__ void picture_kernel(int* pixels, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) pixels[y * width + x] = x;
}

/// 1,000 items, blocks of 192 threads.
void row(int* d_items) { row_kernel<<<(1000 + 191) / 192, 192>>>(d_items, 1000); }

/// 100 columns and 70 rows, blocks of 16 x 16 threads.
void picture(int* d_pixels) {
    const dim3 block(16, 16), grid((100 + 15) / 16, (70 + 15) / 16);
    picture_kernel<<<grid, block>>>(d_pixels, 100, 70);
}
