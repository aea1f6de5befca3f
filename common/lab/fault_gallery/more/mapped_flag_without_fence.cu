// The host waits for a flag in mapped memory, but the items may arrive after the flag.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void tell_the_host(int* items, volatile int* flag) {
    items[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();  // all items are written
    if (threadIdx.x == 0) *flag = 1;
}

int main() {
    int *items = nullptr, *flag = nullptr;
    cudaHostAlloc(&items, 64 * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    tell_the_host<<<1, 64>>>(items, flag);
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    if (items[63] != 63) std::puts("wrong");
    cudaDeviceSynchronize();
    cudaFreeHost(items);
    cudaFreeHost(flag);
    return 0;
}
