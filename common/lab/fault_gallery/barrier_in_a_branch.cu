// Half the block waits for the other half, which never arrives.
#include <cuda_runtime.h>

__global__ void branch_kernel(int* items) {
    if (threadIdx.x < 64) {
        items[threadIdx.x] = 1;
        __syncthreads();  // meant for these 64 alone
        items[threadIdx.x] += items[63 - threadIdx.x];
    }
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 128 * sizeof(int));
    branch_kernel<<<1, 128>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
