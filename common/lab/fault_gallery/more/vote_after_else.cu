// The vote is the condition after an else: lanes without an item do not cast it
#include <cuda_runtime.h>

__global__ void count_large_lanes(const int* items, int n, int* counts) {
    const int i = static_cast<int>(threadIdx.x);
    if (i >= n) {
        atomicAdd(&counts[0], 1);
    } else if (__any_sync(0xffffffff, items[i] > 90)) {
        atomicAdd(&counts[1], 1);
    }
}

int main() {
    constexpr int kItems = 80;
    int* items = nullptr;
    int* counts = nullptr;
    cudaMallocManaged(&items, kItems * sizeof(int));
    cudaMallocManaged(&counts, 2 * sizeof(int));
    for (int i = 0; i < kItems; ++i) items[i] = 2 * i;
    counts[0] = counts[1] = 0;
    count_large_lanes<<<1, 96>>>(items, kItems, counts);
    cudaDeviceSynchronize();
    cudaFree(items);
    cudaFree(counts);
    return 0;
}
