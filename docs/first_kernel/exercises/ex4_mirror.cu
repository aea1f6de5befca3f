// Warm-up 4: a mirror                                                           (fill in the blank)
//
// Task: Mirror a picture: swap left and right within each row.
// Given: `height` rows of `width` pixels each, stored one row after the other. The grid and its
// blocks have two dimensions, and extend beyond the picture on the right and at the bottom.
// Required: Threads that are neighbours in x handle neighbouring pixels of a row.
// Read: ../../first_kernel.md, "Two dimensions"
// Check: ./tutorial check first/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr int kSide = 16;

__global__ void mirror_kernel(const int* from, int* to, int width, int height) {
    // TODO (about 3 lines): which column and row are mine? Are they in the picture? Where to?
    (void)from, (void)to, (void)width, (void)height;  // remove this line
    // END
}

/// from, to: width * height ints each in device memory; from 0 to 4,096 columns and rows.
void mirror(const int* d_from, int* d_to, int width, int height) {
    const dim3 block(kSide, kSide);
    const dim3 grid(width / kSide + 1, height / kSide + 1);
    mirror_kernel<<<grid, block>>>(d_from, d_to, width, height);
}
