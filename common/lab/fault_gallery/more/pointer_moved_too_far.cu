// Each thread writes nine items, a plane apart, and there is room for three planes.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void unfold(const float* image, float* columns, int pixels, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    float* column = columns + i;
    for (int k = 0; k < taps; ++k) {
        *column = image[(i + k) % pixels];
        column += pixels;
    }
}

int main() {
    constexpr int kPixels = 64, kTaps = 3;
    float *image, *columns, first = 0;
    cudaMalloc(&image, kPixels * sizeof(float));
    cudaMalloc(&columns, kTaps * kPixels * sizeof(float));
    cudaMemset(image, 0, kPixels * sizeof(float));
    unfold<<<2, 32>>>(image, columns, kPixels, kTaps * kTaps);
    cudaMemcpy(&first, columns, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(image);
    cudaFree(columns);
    return 0;
}
