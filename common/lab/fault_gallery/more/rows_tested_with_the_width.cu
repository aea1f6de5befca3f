// x is tested with the height, and y with the width
#include <cuda_runtime.h>

__global__ void invert(unsigned char* image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width) image[y * width + x] = 255 - image[y * width + x];
}

int main() {
    constexpr int kWidth = 40, kHeight = 24;
    unsigned char* d_image;
    cudaMalloc(&d_image, kWidth * kHeight);
    cudaMemset(d_image, 0, kWidth * kHeight);
    invert<<<dim3(3, 2), dim3(16, 16)>>>(d_image, kWidth, kHeight);
    cudaDeviceSynchronize();
    cudaFree(d_image);
    return 0;
}
