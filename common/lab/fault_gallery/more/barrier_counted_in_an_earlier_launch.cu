// Blocks wait for each other by a counter, which the first launch has left at its end.
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned blocks_here;

__device__ void wait_for_the_grid() {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&blocks_here, 1u);
        while (atomicAdd(&blocks_here, 0u) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void square_and_turn(int* squares, int* turned, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) squares[i] = i * i;
    wait_for_the_grid();
    if (i < n) turned[i] = squares[n - 1 - i];
}

int main() {
    constexpr int kItems = 256;
    int turned[kItems];
    int *d_squares, *d_turned;
    cudaMalloc(&d_squares, sizeof turned);
    cudaMalloc(&d_turned, sizeof turned);
    for (int run = 0; run < 2; ++run) square_and_turn<<<4, 64>>>(d_squares, d_turned, kItems);
    cudaMemcpy(turned, d_turned, sizeof turned, cudaMemcpyDeviceToHost);
    std::printf("%d\n", turned[0]);
    cudaFree(d_squares);
    cudaFree(d_turned);
    return 0;
}
