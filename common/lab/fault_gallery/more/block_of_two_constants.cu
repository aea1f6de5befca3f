// A block of 64 x 32 threads is too large; the kernel and the grid use the two constants as well.
#include <cuda_runtime.h>

template <int kAcross, int kDown>
__global__ void number_pixels(int* pixels, int width, int height) {
    const int x = blockIdx.x * kAcross + threadIdx.x, y = blockIdx.y * kDown + threadIdx.y;
    if (x < width && y < height) pixels[y * width + x] = y * width + x;
}

int main() {
    constexpr int kImageWidth = 70, kImageHeight = 45;
    constexpr int kBlockWidth = 64, kBlockHeight = 32;
    int* pixels;
    cudaMalloc(&pixels, kImageWidth * kImageHeight * sizeof(int));
    const dim3 block(kBlockWidth, kBlockHeight);
    const dim3 grid((kImageWidth + kBlockWidth - 1) / kBlockWidth,
                    (kImageHeight + kBlockHeight - 1) / kBlockHeight);
    number_pixels<kBlockWidth, kBlockHeight><<<grid, block>>>(pixels, kImageWidth, kImageHeight);
    cudaDeviceSynchronize();
    cudaFree(pixels);
    return 0;
}
