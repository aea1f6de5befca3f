// The rows of the transposed matrix have 8 items, and the kernel takes 10
#include <cuda_runtime.h>

__global__ void transpose_rows(const float* in, float* out, int rows, int columns) {
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (column < columns && row < rows) out[column * columns + row] = in[row * columns + column];
}

int main() {
    constexpr int kRows = 8, kColumns = 10;
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, kRows * kColumns * sizeof(float));
    cudaMalloc(&d_out, kRows * kColumns * sizeof(float));
    cudaMemset(d_in, 0, kRows * kColumns * sizeof(float));
    transpose_rows<<<1, dim3(16, 16)>>>(d_in, d_out, kRows, kColumns);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    cudaFree(d_in);
    return 0;
}
