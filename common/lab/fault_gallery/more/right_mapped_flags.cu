// Each block has a flag in mapped memory: the host waits for them in turn, and then reads all items
#include <cuda_runtime.h>

#include <cstdio>

__global__ void tell_the_host_by_block(int* items, volatile int* flags) {
    items[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();  // all items of the block are written
    if (threadIdx.x != 0) return;
    __threadfence_system();
    flags[blockIdx.x] = 1;
}

int main() {
    int *items = nullptr, *flags = nullptr;
    cudaHostAlloc(&items, 256 * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&flags, 4 * sizeof(int), cudaHostAllocMapped);
    for (int block = 0; block < 4; ++block) flags[block] = 0;
    tell_the_host_by_block<<<4, 64>>>(items, flags);
    for (int block = 0; block < 4; ++block) {
        while (*static_cast<volatile int*>(flags + block) == 0) {
        }
    }
    for (int i = 0; i < 256; ++i) {
        if (items[i] != i % 64) std::puts("wrong");
    }
    cudaDeviceSynchronize();
    cudaFreeHost(items);
    cudaFreeHost(flags);
    return 0;
}
