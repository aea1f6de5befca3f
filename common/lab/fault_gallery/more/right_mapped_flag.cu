// The last of several blocks sets a flag in mapped memory, after fences, for the host that waits
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned blocks_that_told = 0;

__global__ void tell_the_host_at_last(int* items, volatile int* flag) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    items[i] = static_cast<int>(i);
    __threadfence_system();
    __syncthreads();  // all items of the block are written
    if (threadIdx.x != 0) return;
    if (atomicAdd(&blocks_that_told, 1u) == gridDim.x - 1) {
        __threadfence_system();
        *flag = 1;
    }
}

int main() {
    int *items = nullptr, *flag = nullptr;
    cudaHostAlloc(&items, 256 * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    tell_the_host_at_last<<<4, 64>>>(items, flag);
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    for (int i = 0; i < 256; ++i) {
        if (items[i] != i) std::puts("wrong");
    }
    cudaDeviceSynchronize();
    cudaFreeHost(items);
    cudaFreeHost(flag);
    return 0;
}
