// The number of blocks is rounded up, but the second of two parts has no items.
#include <cuda_runtime.h>

__global__ void number_part(int* part, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) part[i] = i;
}

int main() {
    constexpr int kItems = 256, kThreads = 64;
    int* d_items = nullptr;
    cudaMalloc(&d_items, kItems * sizeof(int));
    cudaMemset(d_items, 0, kItems * sizeof(int));
    for (int begin = 0; begin <= kItems; begin += kItems) {
        const int n = kItems - begin;
        number_part<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_items + begin, n);
    }
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
