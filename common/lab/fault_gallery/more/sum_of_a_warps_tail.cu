// Only lanes with an item call the sum of their warp, whose mask names all lanes.
#include <cuda_runtime.h>

#include <cstdio>

__device__ float sum_of_warp(float value) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
    return value;
}

__global__ void sum_items(const float* items, int n, float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float part = sum_of_warp(items[i]);
        if (threadIdx.x % 32 == 0) atomicAdd(sum, part);
    }
}

int main() {
    constexpr int kItems = 90;
    float *items, *sum;
    cudaMallocManaged(&items, kItems * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    for (int i = 0; i < kItems; ++i) items[i] = 1;
    *sum = 0;
    sum_items<<<2, 64>>>(items, kItems, sum);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(items);
    cudaFree(sum);
    return 0;
}
