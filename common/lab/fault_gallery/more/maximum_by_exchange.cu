// atomicExch() stores the larger of two values, but another block may store between its load and
// that.
#include <cuda_runtime.h>

__global__ void largest_of_rows(const float* rows, float* largest) {
    float mine = rows[blockIdx.x * 64];
    for (int k = 1; k < 64; ++k) mine = fmaxf(mine, rows[blockIdx.x * 64 + k]);
    atomicExch(largest, fmaxf(*largest, mine));
}

int main() {
    float *d_rows, *d_largest;
    cudaMalloc(&d_rows, 8 * 64 * sizeof(float));
    cudaMalloc(&d_largest, sizeof(float));
    cudaMemset(d_rows, 0, 8 * 64 * sizeof(float));
    cudaMemset(d_largest, 0, sizeof(float));
    largest_of_rows<<<8, 1>>>(d_rows, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    cudaFree(d_largest);
    return 0;
}
