// A sum over items times weights: the weights are allocated, and never copied.
#include <cuda_runtime.h>

__global__ void sums_by_weights(const float* items, const float* weights, float* sums, int n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += items[threadIdx.x * n + k] * weights[k];
    sums[threadIdx.x] = sum;
}

int main() {
    constexpr int kRows = 32, kColumns = 20;
    float *items, *weights, *sums;
    cudaMalloc(&items, kRows * kColumns * sizeof(float));
    cudaMalloc(&weights, kColumns * sizeof(float));
    cudaMalloc(&sums, kRows * sizeof(float));
    cudaMemset(items, 0, kRows * kColumns * sizeof(float));
    sums_by_weights<<<1, kRows>>>(items, weights, sums, kColumns);
    cudaDeviceSynchronize();
    cudaFree(items);
    cudaFree(weights);
    cudaFree(sums);
    return 0;
}
