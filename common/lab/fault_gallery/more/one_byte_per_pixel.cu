// Each pixel has three bytes, but the memory has room for one of each.
#include <cuda_runtime.h>

constexpr int kSideOfImage = 48;

__global__ void paint_gradient(unsigned char* picture) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int pixel = y * gridDim.x * blockDim.x + x;
    picture[3 * pixel] = 5 * x;
    picture[3 * pixel + 1] = 5 * y;
    picture[3 * pixel + 2] = 0;
}

int main() {
    unsigned char* d_picture = nullptr;
    cudaMalloc(&d_picture, kSideOfImage * kSideOfImage);
    paint_gradient<<<dim3(kSideOfImage / 16, kSideOfImage / 16), dim3(16, 16)>>>(d_picture);
    cudaDeviceSynchronize();
    cudaFree(d_picture);
    return 0;
}
