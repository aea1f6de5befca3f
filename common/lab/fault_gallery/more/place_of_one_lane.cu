// One lane makes room for all that its warp keeps, and does not tell the others where.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kItems = 512;

__global__ void keep_even_kernel(const int* items, int* kept, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool is_kept = items[i] % 2 == 0;
    const unsigned votes = __ballot_sync(0xffffffffu, is_kept);
    int begin = 0;
    if (lane == 0) {
        begin = atomicAdd(count, __popc(votes));
    }
    if (is_kept) kept[begin + __popc(votes & ((1u << lane) - 1))] = items[i];
}

// Here the last lane is asked.
__global__ void keep_odd_kernel(const int* items, int* kept, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const unsigned votes = __ballot_sync(0xffffffffu, items[i] % 2 != 0);
    int begin = 0;
    if (lane == 0) begin = atomicAdd(count, __popc(votes));
    begin = __shfl_sync(0xffffffffu, begin, 31);
    if (items[i] % 2 != 0) kept[begin + __popc(votes & ((1u << lane) - 1))] = items[i];
}

int main() {
    std::vector<int> items(kItems);
    for (int i = 0; i < kItems; ++i) items[i] = i;
    int *d_items, *d_kept, *d_count;
    cudaMalloc(&d_items, kItems * sizeof(int));
    cudaMalloc(&d_kept, kItems * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_items, items.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));
    keep_even_kernel<<<kItems / 128, 128>>>(d_items, d_kept, d_count);
    cudaMemset(d_count, 0, sizeof(int));
    keep_odd_kernel<<<kItems / 128, 128>>>(d_items, d_kept, d_count);
    int count = 0;
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", count);
    cudaFree(d_items);
    cudaFree(d_kept);
    cudaFree(d_count);
    return 0;
}
