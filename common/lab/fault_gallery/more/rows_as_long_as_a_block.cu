// The picture's rows are taken to be as long as a row of a block's threads.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void paint_slope(float* picture) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int pixel = y * blockDim.x + x;
    picture[pixel] = x + 0.5f * y;
}

int main() {
    constexpr int kPictureSide = 64;
    float* picture;
    cudaMalloc(&picture, kPictureSide * kPictureSide * sizeof(float));
    paint_slope<<<dim3(kPictureSide / 16, kPictureSide / 16), dim3(16, 16)>>>(picture);
    std::printf("%d\n", cudaDeviceSynchronize());
    cudaFree(picture);
    return 0;
}
