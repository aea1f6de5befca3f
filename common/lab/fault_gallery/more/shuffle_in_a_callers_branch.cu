// The function's mask names 32 lanes, and its caller lets only 16 of them in.
#include <cuda_runtime.h>

__device__ float sum_of_lanes(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}

__global__ void sum_half_rows(const float* rows, float* sums) {
    const unsigned lane = threadIdx.x % 32;
    const float value = rows[threadIdx.x];
    if (lane < 16) {
        const float sum = sum_of_lanes(value);
        if (lane == 0) sums[threadIdx.x / 32] = sum;
    }
}

int main() {
    float *d_rows = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_rows, 64 * sizeof(float));
    cudaMalloc(&d_sums, 2 * sizeof(float));
    cudaMemset(d_rows, 0, 64 * sizeof(float));
    sum_half_rows<<<1, 64>>>(d_rows, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    cudaFree(d_sums);
    return 0;
}
