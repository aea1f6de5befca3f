// The weights in __constant__ memory are never copied there: all of them are 0
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTaps = 5;
__constant__ float never_set_weights[kTaps];

__global__ void weighted_sums(const float* items, float* sums, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i + kTaps > n) return;
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += never_set_weights[k] * items[i + k];
    sums[i] = sum;
}

int main() {
    const int n = 100;
    float items[n], sums[n] = {};
    for (float& item : items) item = 1;
    float *d_items = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_sums, sizeof sums);
    cudaMemset(d_sums, 0, sizeof sums);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    weighted_sums<<<1, 128>>>(d_items, d_sums, n);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    std::printf("%g\n", sums[0]);
    cudaFree(d_sums);
    cudaFree(d_items);
    return 0;
}
