// A row of the matrix has one item for each column, and is addressed with the number of results
#include <cuda_runtime.h>

__global__ void row_sums(const float* matrix, float* sums, int columns, int results) {
    const int row = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += matrix[row * results + k];
    sums[row] = sum;
}

int main() {
    constexpr int kRows = 20, kColumns = 24, kResults = 36;
    float *d_matrix, *d_sums;
    cudaMalloc(&d_matrix, kRows * kColumns * sizeof(float));
    cudaMalloc(&d_sums, kRows * sizeof(float));
    cudaMemset(d_matrix, 0, kRows * kColumns * sizeof(float));
    row_sums<<<1, kRows>>>(d_matrix, d_sums, kColumns, kResults);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    cudaFree(d_matrix);
    return 0;
}
