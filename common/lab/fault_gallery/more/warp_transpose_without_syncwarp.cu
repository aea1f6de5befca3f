// The lanes of a warp exchange items through shared memory without waiting.
#include <cuda_runtime.h>

__global__ void swap_in_warp(int* data) {
    __shared__ int items[32];
    items[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = items[threadIdx.x ^ 1];
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 32 * sizeof(int));
    cudaMemset(d_data, 0, 32 * sizeof(int));
    swap_in_warp<<<1, 32>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
