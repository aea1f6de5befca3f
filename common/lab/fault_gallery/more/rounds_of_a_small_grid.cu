// The grid is rounded down, and two arrays are exchanged: the border stays unwritten.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

__global__ void diffuse(const float* before, float* after, int columns, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    const int left = (x + columns - 1) % columns, right = (x + 1) % columns;
    float sum = before[y * columns + left];
    sum += before[y * columns + right];
    sum += before[y * columns + x];
    after[y * columns + x] = sum / 3;
}

int main() {
    constexpr int kColumns = 40, kRows = 20, kItems = kColumns * kRows;
    static float plate[kItems];
    for (float& each : plate) each = 1;
    float *before, *after;
    cudaMalloc(&before, sizeof plate);
    cudaMalloc(&after, sizeof plate);
    cudaMemcpy(before, plate, sizeof plate, cudaMemcpyHostToDevice);
    const dim3 block(16, 8), grid(kColumns / block.x, kRows / block.y);
    for (int round = 0; round < 4; ++round) {
        diffuse<<<grid, block>>>(before, after, kColumns, kRows);
        std::swap(before, after);
    }
    cudaMemcpy(plate, before, sizeof plate, cudaMemcpyDeviceToHost);
    std::printf("%g\n", plate[0]);
    cudaFree(before);
    cudaFree(after);
    return 0;
}
