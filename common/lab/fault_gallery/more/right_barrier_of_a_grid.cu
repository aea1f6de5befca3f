// A barrier of all blocks made by hand: a thread of each block counts it, and waits for the others.
#include <cuda_runtime.h>

__device__ unsigned blocks_at_barrier = 0;

__device__ void wait_for_all_blocks(unsigned round) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&blocks_at_barrier, 1u);
        while (atomicAdd(&blocks_at_barrier, 0u) < gridDim.x * (round + 1)) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void mean_with_neighbours(float* items, float* results, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    for (unsigned round = 0; round < 4; ++round) {
        const int left = i > 0 ? i - 1 : n - 1;
        const int right = i < n - 1 ? i + 1 : 0;
        results[i] = 0.5f * (items[left] + items[right]);
        wait_for_all_blocks(round);
        float* const read = items;
        items = results;
        results = read;
    }
}

int main() {
    constexpr int kItems = 256;
    float* d_items = nullptr;
    cudaMalloc(&d_items, 2 * kItems * sizeof(float));
    cudaMemset(d_items, 0, 2 * kItems * sizeof(float));
    mean_with_neighbours<<<4, kItems / 4>>>(d_items, d_items + kItems, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
