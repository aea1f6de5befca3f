// The turned matrix has rows of another length than the first, but its index takes that of the
// first.
#include <cuda_runtime.h>

__global__ void turn_matrix(const int* matrix, int* turned, int columns, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) turned[x * columns + y] = matrix[y * columns + x];
}

int main() {
    constexpr int kColumns = 48, kRows = 20;
    int *d_matrix, *d_turned;
    cudaMalloc(&d_matrix, kColumns * kRows * sizeof(int));
    cudaMalloc(&d_turned, kColumns * kRows * sizeof(int));
    cudaMemset(d_matrix, 0, kColumns * kRows * sizeof(int));
    turn_matrix<<<dim3(3, 2), dim3(16, 16)>>>(d_matrix, d_turned, kColumns, kRows);
    cudaDeviceSynchronize();
    cudaFree(d_matrix);
    cudaFree(d_turned);
    return 0;
}
