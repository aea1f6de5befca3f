// The table of the rows' addresses is in device memory, where cudaMalloc cannot set its items.
#include <cuda_runtime.h>

__global__ void add_up_rows(float** rows, int count, float* sums) {
    float sum = 0;
    for (int r = 0; r < count; ++r) sum += rows[r][threadIdx.x];
    sums[threadIdx.x] = sum;
}

int main() {
    const int count = 4;
    float values[count][64] = {};
    float **d_rows = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_rows, count * sizeof(float*));
    cudaMalloc(&d_sums, 64 * sizeof(float));
    for (int r = 0; r < count; ++r) {
        cudaMalloc(&d_rows[r], 64 * sizeof(float));
        cudaMemcpy(d_rows[r], values[r], 64 * sizeof(float), cudaMemcpyHostToDevice);
    }
    add_up_rows<<<1, 64>>>(d_rows, count, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    cudaFree(d_sums);
    return 0;
}
