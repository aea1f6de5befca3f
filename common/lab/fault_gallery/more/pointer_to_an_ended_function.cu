// A helper returns the address of its own array, which ends with it.
#include <cuda_runtime.h>
#include <cstdio>

__device__ const float* items_around(const float* in, int i, int n) {
    float around[3];
    for (int k = -1; k <= 1; ++k) around[k + 1] = in[(i + k + n) % n];
    const float* const result = around;
    return result;
}

__global__ void average_around(const float* in, float* out, int n) {
    const int i = static_cast<int>(threadIdx.x);
    const float* const around = items_around(in, i, n);
    out[i] = (around[0] + around[1] + around[2]) / 3;
}

int main() {
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(float));
    cudaMalloc(&d_out, 64 * sizeof(float));
    cudaMemset(d_in, 0, 64 * sizeof(float));
    average_around<<<1, 64>>>(d_in, d_out, 64);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
