// The shared array has a place for each of the 8 blocks, but each of the 64 threads needs one.
#include <cuda_runtime.h>

constexpr int kBlocks = 8;

__global__ void squares_kernel(const int* items, int* result) {
    __shared__ int sums[kBlocks];
    sums[threadIdx.x] = items[threadIdx.x] * items[threadIdx.x];
    __syncthreads();  // all squares are there
    if (threadIdx.x == 0) result[blockIdx.x] = sums[0];
}

int main() {
    int *d_items = nullptr, *d_result = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMalloc(&d_result, kBlocks * sizeof(int));
    cudaMemset(d_items, 0, 64 * sizeof(int));
    squares_kernel<<<kBlocks, 64>>>(d_items, d_result);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_result);
}
