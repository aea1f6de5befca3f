// 1000 items, blocks of 256 threads: the last block goes beyond the end.
#include <cuda_runtime.h>

__global__ void double_kernel(float* items) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    items[i] = 2 * items[i];
}

int main() {
    constexpr int kItems = 1000;
    float* d_items = nullptr;
    cudaMalloc(&d_items, kItems * sizeof(float));
    cudaMemset(d_items, 0, kItems * sizeof(float));
    double_kernel<<<(kItems + 255) / 256, 256>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
