// 1,010 items are 31 groups of 32 and a part of one, whose largest item has no place.
#include <cuda_runtime.h>

constexpr int kGroup = 32;

__global__ void largest_of_groups(const int* items, int* largest, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int most = i < n ? items[i] : 0;
    for (int d = kGroup / 2; d > 0; d /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (i < n && i % kGroup == 0) largest[i / kGroup] = most;
}

int main() {
    const int n = 1010, groups = n / kGroup;
    int *items = nullptr, *largest = nullptr;
    cudaMalloc(&items, n * sizeof(int));
    cudaMalloc(&largest, groups * sizeof(int));
    cudaMemset(items, 0, n * sizeof(int));
    largest_of_groups<<<(n + 127) / 128, 128>>>(items, largest, n);
    cudaDeviceSynchronize();
    cudaFree(items);
    cudaFree(largest);
    return 0;
}
