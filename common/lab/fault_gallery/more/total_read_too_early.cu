// Each block divides its items by the sum, to which other blocks still add.
#include <cuda_runtime.h>

__global__ void shares_of(const float* items, float* sum, float* shares) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(sum, items[i]);
    __syncthreads();
    shares[i] = items[i] / *sum;
}

int main() {
    float h_items[128];
    for (int i = 0; i < 128; ++i) h_items[i] = 1.0f;
    float *d_items = nullptr, *d_sum = nullptr, *d_shares = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_sum, sizeof(float));
    cudaMalloc(&d_shares, sizeof h_items);
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(float));
    shares_of<<<2, 64>>>(d_items, d_sum, d_shares);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_sum);
    cudaFree(d_shares);
    return 0;
}
