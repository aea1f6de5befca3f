// A tile gets its rows and its columns beside the block, but not the corners, which are used.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kSide = 8, kBeside = 2, kRow = kSide + 2 * kBeside;

__global__ void sum_of_square(const float* input, float* sums, int pitch) {
    __shared__ float around[kRow][kRow];
    const int x = threadIdx.x + kBeside, y = threadIdx.y + kBeside;
    around[y][x] = input[y * pitch + x];
    if (threadIdx.x < kBeside) {
        around[y][x - kBeside] = input[y * pitch + x - kBeside];
        around[y][x + kSide] = input[y * pitch + x + kSide];
    }
    if (threadIdx.y < kBeside) {
        around[y - kBeside][x] = input[(y - kBeside) * pitch + x];
        around[y + kSide][x] = input[(y + kSide) * pitch + x];
    }
    __syncthreads();
    float sum = 0;
    for (int dy = -kBeside; dy <= kBeside; ++dy) {
        for (int dx = -kBeside; dx <= kBeside; ++dx) sum += around[y + dy][x + dx];
    }
    sums[threadIdx.y * kSide + threadIdx.x] = sum;
}

int main() {
    float *input, *sums;
    cudaMallocManaged(&input, kRow * kRow * sizeof(float));
    cudaMallocManaged(&sums, kSide * kSide * sizeof(float));
    for (int i = 0; i < kRow * kRow; ++i) input[i] = 1;
    sum_of_square<<<1, dim3(kSide, kSide)>>>(input, sums, kRow);
    cudaDeviceSynchronize();
    std::printf("%g\n", sums[kSide * kSide / 2 + kSide / 2]);
    cudaFree(input);
    cudaFree(sums);
    return 0;
}
