// The vote stands after &&: lanes without an item do not cast it
#include <cuda_runtime.h>

__global__ void count_even_lanes(const int* items, int n, int* count) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n && __all_sync(0xffffffff, items[i] % 2 == 0)) atomicAdd(count, 1);
}

int main() {
    constexpr int kItems = 80;
    int* items = nullptr;
    int* count = nullptr;
    cudaMallocManaged(&items, kItems * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < kItems; ++i) items[i] = 2 * i;
    *count = 0;
    count_even_lanes<<<1, 96>>>(items, kItems, count);
    cudaDeviceSynchronize();
    cudaFree(items);
    cudaFree(count);
    return 0;
}
