// A sparse matrix of 64 rows needs 65 places where a row begins or ends; there is memory for 64.
#include <cuda_runtime.h>

__global__ void row_lengths(const int* begins, int* lengths, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) lengths[row] = begins[row + 1] - begins[row];
}

int main() {
    constexpr int kRows = 64;
    int *d_begins = nullptr, *d_lengths = nullptr;
    cudaMalloc(&d_begins, kRows * sizeof(int));
    cudaMalloc(&d_lengths, kRows * sizeof(int));
    cudaMemset(d_begins, 0, kRows * sizeof(int));
    row_lengths<<<1, kRows>>>(d_begins, d_lengths, kRows);
    cudaDeviceSynchronize();
    cudaFree(d_begins);
    cudaFree(d_lengths);
    return 0;
}
