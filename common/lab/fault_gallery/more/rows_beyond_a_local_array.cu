// Several lines go beyond one local array: it needs room for the largest of their indexes.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sweep_down_and_up(float* values, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float factors[8];
    factors[0] = 0.5f;
    for (int row = 1; row < rows; ++row) {
        const float factor = 1 / (4 - factors[row - 1]);
        factors[row] = factor;
        values[row * columns + column] *= factor;
    }
    for (int row = rows - 2; row >= 0; --row) values[row * columns + column] -= factors[row];
}

int main() {
    constexpr int kRows = 12, kColumns = 32;
    float *values, first = 0;
    cudaMalloc(&values, kRows * kColumns * sizeof(float));
    cudaMemset(values, 0, kRows * kColumns * sizeof(float));
    sweep_down_and_up<<<1, 32>>>(values, kRows, kColumns);
    cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(values);
    return 0;
}
