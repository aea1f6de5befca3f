// Two tiles are stored, and neighbours of both are read: one barrier is missing, not two.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void product_of_sums(const float* heights, const float* widths, float* areas, int n) {
    __shared__ float height[64], width[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;
    height[t] = heights[i];
    width[t] = widths[i];
    const int next = (t + 1) % 64;
    const float high = height[t] + height[next];
    const float wide = width[t] + width[next];
    areas[i] = high * wide;
}

int main() {
    const int n = 256;
    float *heights, *widths, *areas;
    cudaMallocManaged(&heights, n * sizeof(float));
    cudaMallocManaged(&widths, n * sizeof(float));
    cudaMallocManaged(&areas, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        heights[i] = 1.0f;
        widths[i] = 2.0f;
    }
    product_of_sums<<<n / 64, 64>>>(heights, widths, areas, n);
    cudaDeviceSynchronize();
    std::printf("%g\n", areas[n - 1]);
    cudaFree(heights);
    cudaFree(widths);
    cudaFree(areas);
    return 0;
}
