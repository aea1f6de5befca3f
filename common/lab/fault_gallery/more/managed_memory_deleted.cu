// A unique_ptr deletes memory from cudaMallocManaged
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>

__global__ void count_down_owned(int* items) {
    items[threadIdx.x] = 63 - static_cast<int>(threadIdx.x);
}

int main() {
    int* items = nullptr;
    cudaMallocManaged(&items, 64 * sizeof(int));
    const std::unique_ptr<int[]> owner(items);
    count_down_owned<<<1, 64>>>(items);
    cudaDeviceSynchronize();
    std::printf("%d\n", owner[3]);
    return 0;
}
