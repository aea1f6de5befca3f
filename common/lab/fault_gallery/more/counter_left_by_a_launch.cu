// The counter that tells the last block is not set back, so no block of the second launch is the
// last one.
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned blocks_done;

__global__ void largest_twice_kernel(const int* items, int* of_blocks, int* largest) {
    atomicMax(&of_blocks[blockIdx.x], items[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence();
    const unsigned before = atomicAdd(&blocks_done, 1u);
    if (before != gridDim.x - 1) return;
    for (unsigned block = 0; block < gridDim.x; ++block) {
        *largest = max(*largest, atomicMax(&of_blocks[block], 0));
    }
}

int main() {
    constexpr int kBlocks = 4, kThreads = 32;
    int items[kBlocks * kThreads], largest[2];
    for (int i = 0; i < kBlocks * kThreads; ++i) items[i] = i * 37 % 101;
    int *d_items = nullptr, *d_of_blocks = nullptr, *d_largest = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_of_blocks, kBlocks * sizeof(int));
    cudaMalloc(&d_largest, sizeof largest);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    cudaMemset(d_of_blocks, 0, kBlocks * sizeof(int));
    cudaMemset(d_largest, 0, sizeof largest);
    largest_twice_kernel<<<kBlocks, kThreads>>>(d_items, d_of_blocks, d_largest);
    cudaMemset(d_of_blocks, 0, kBlocks * sizeof(int));
    largest_twice_kernel<<<kBlocks, kThreads>>>(d_items, d_of_blocks, d_largest + 1);
    cudaMemcpy(largest, d_largest, sizeof largest, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", largest[0], largest[1]);
    cudaFree(d_items);
    cudaFree(d_of_blocks);
    cudaFree(d_largest);
    return 0;
}
