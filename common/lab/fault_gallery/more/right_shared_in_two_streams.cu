// Two kernels in two streams, each with its own shared memory and its own result.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void reversed_ranks(float* ranks) {
    __shared__ float tile[64];
    tile[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    ranks[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void reversed_squares(float* squares) {
    __shared__ float tile[64];
    tile[threadIdx.x] = static_cast<float>(threadIdx.x * threadIdx.x);
    __syncthreads();
    squares[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    float *ranks, *squares, last[2];
    cudaMalloc(&ranks, 64 * sizeof(float));
    cudaMalloc(&squares, 64 * sizeof(float));
    reversed_ranks<<<1, 64, 0, one>>>(ranks);
    reversed_squares<<<1, 64, 0, other>>>(squares);
    cudaDeviceSynchronize();
    cudaMemcpy(&last[0], ranks, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&last[1], squares, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", last[0], last[1]);
    cudaFree(ranks);
    cudaFree(squares);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    return 0;
}
