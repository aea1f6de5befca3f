// A barrier that half a block does not reach.
#include <cuda_runtime.h>

__global__ void half_kernel(int* items) {
    __shared__ int tile[64];
    tile[threadIdx.x] = items[threadIdx.x];
    if (threadIdx.x < 32) __syncthreads();
    items[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMemset(d_items, 0, 64 * sizeof(int));
    half_kernel<<<1, 64>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
