// Merges runs of 32 items in pairs; of three runs the last has no partner.
#include <cuda_runtime.h>

__global__ void merge_kernel(const int* from, int* to, int n) {
    const int begin = static_cast<int>(threadIdx.x) * 64;
    int left = begin, right = begin + 32;
    for (int i = begin; i < begin + 64 && i < n; ++i) {
        const bool take_left = left < begin + 32 && from[left] <= from[right];
        to[i] = take_left ? from[left++] : from[right++];
    }
}

int main() {
    constexpr int kItems = 96;
    int items[kItems];
    for (int i = 0; i < kItems; ++i) items[i] = i / 32 + i % 32;
    int *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, sizeof items);
    cudaMalloc(&d_to, sizeof items);
    cudaMemcpy(d_from, items, sizeof items, cudaMemcpyHostToDevice);
    merge_kernel<<<1, 2>>>(d_from, d_to, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
}
