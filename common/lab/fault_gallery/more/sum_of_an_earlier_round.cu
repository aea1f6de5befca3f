// The last tile is not full, and what an earlier round of the loop has stored there is added again.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTileItems = 32;

__global__ void distances_kernel(const float* items, float* sums, int n) {
    __shared__ float tile[kTileItems];
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const float mine = items[min(i, n - 1)];
    float sum = 0;
    for (int begin = 0; begin < n; begin += kTileItems) {
        const int item = begin + static_cast<int>(threadIdx.x);
        if (item < n) tile[threadIdx.x] = items[item];
        __syncthreads();
        for (float other : tile) sum += fabsf(other - mine);
        __syncthreads();
    }
    if (i < n) sums[i] = sum;
}

int main() {
    constexpr int n = 80;
    float items[n];
    for (int i = 0; i < n; ++i) items[i] = static_cast<float>(i);
    float *d_items = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_sums, sizeof items);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    distances_kernel<<<(n + kTileItems - 1) / kTileItems, kTileItems>>>(d_items, d_sums, n);
    cudaMemcpy(items, d_sums, sizeof items, cudaMemcpyDeviceToHost);
    std::printf("%g\n", items[0]);
    cudaFree(d_items);
    cudaFree(d_sums);
    return 0;
}
