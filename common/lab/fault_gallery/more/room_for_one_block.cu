// Each block has counters of its own, but the array has room for those of one.
#include <cuda_runtime.h>

__global__ void count_digits(const int* items, unsigned* counters) {
    unsigned* const own = counters + blockIdx.x * 32;
    own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[items[blockIdx.x * 32 + threadIdx.x] % 32], 1u);
}

int main() {
    int* d_items;
    unsigned* d_counters;
    cudaMalloc(&d_items, 4 * 32 * sizeof(int));
    cudaMalloc(&d_counters, 32 * sizeof(unsigned));
    cudaMemset(d_items, 0, 4 * 32 * sizeof(int));
    count_digits<<<4, 32>>>(d_items, d_counters);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_counters);
    return 0;
}
