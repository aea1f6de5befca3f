// The last thread asks for the block's place, and the others use it without a barrier.
#include <cuda_runtime.h>

__global__ void append_all(const int* items, unsigned* length, int* list) {
    __shared__ unsigned place_of_block;
    if (threadIdx.x == blockDim.x - 1) place_of_block = atomicAdd(length, blockDim.x) + 1;
    list[place_of_block + threadIdx.x - 1] = items[blockIdx.x * blockDim.x + threadIdx.x];
}

int main() {
    int *d_items, *d_list;
    unsigned* d_length;
    cudaMalloc(&d_items, 128 * sizeof(int));
    cudaMalloc(&d_list, 128 * sizeof(int));
    cudaMalloc(&d_length, sizeof(unsigned));
    cudaMemset(d_items, 0, 128 * sizeof(int));
    cudaMemset(d_length, 0, sizeof(unsigned));
    append_all<<<2, 64>>>(d_items, d_length, d_list);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_list);
    cudaFree(d_length);
    return 0;
}
