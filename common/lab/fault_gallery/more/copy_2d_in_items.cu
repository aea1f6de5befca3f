// The width of cudaMemcpy2D is in bytes: only a quarter of each row is copied.
#include <cuda_runtime.h>

__global__ void sum_of_rows(const float* rows, float* sums) {
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += rows[threadIdx.x * 16 + i];
    sums[threadIdx.x] = sum;
}

int main() {
    float h_rows[8 * 16] = {};
    float* d_rows = nullptr;
    float* d_sums = nullptr;
    cudaMalloc(&d_rows, sizeof h_rows);
    cudaMalloc(&d_sums, 8 * sizeof(float));
    cudaMemcpy2D(d_rows, 64, h_rows, 64, 16, 8, cudaMemcpyHostToDevice);
    sum_of_rows<<<1, 8>>>(d_rows, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    cudaFree(d_sums);
    return 0;
}
