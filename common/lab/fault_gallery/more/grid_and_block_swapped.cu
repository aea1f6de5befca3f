// The launch gets the block as its grid, and the grid as its block; its error is not fetched.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void checkerboard(unsigned char* pixels, int width, int height) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) pixels[y * width + x] = (x / 8 + y / 8) % 2 != 0 ? 255 : 0;
}

int main() {
    constexpr int kWidth = 640, kHeight = 480;
    unsigned char* pixels = nullptr;
    cudaMalloc(&pixels, kWidth * kHeight);
    const dim3 threads(16, 16);
    const dim3 blocks(kWidth / 16, kHeight / 16);
    checkerboard<<<threads, blocks>>>(pixels, kWidth, kHeight);
    cudaDeviceSynchronize();
    std::printf("%d x %d\n", kWidth, kHeight);
    cudaFree(pixels);
    return 0;
}
