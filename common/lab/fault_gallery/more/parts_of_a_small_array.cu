// Two arrays in one allocation, which has room for one of them
#include <cuda_runtime.h>

__global__ void split(const float2* pairs, float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] = pairs[i].x;
    y[i] = pairs[i].y;
}

int main() {
    constexpr int kItems = 96;
    float2* d_pairs;
    float* d_parts;
    cudaMalloc(&d_pairs, kItems * sizeof(float2));
    cudaMalloc(&d_parts, kItems * sizeof(float));
    cudaMemset(d_pairs, 0, kItems * sizeof(float2));
    split<<<1, kItems>>>(d_pairs, d_parts, d_parts + kItems, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_parts);
    cudaFree(d_pairs);
    return 0;
}
