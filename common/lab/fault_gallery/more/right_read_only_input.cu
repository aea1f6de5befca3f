// __ldg of an array that no thread of this kernel writes, into the same array of another launch.
#include <cuda_runtime.h>

__global__ void average(const float* __restrict__ in, float* __restrict__ out, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i + 1 < n) out[i] = 0.5f * (__ldg(&in[i]) + __ldg(&in[i + 1]));
}

int main() {
    float* d_in = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(float));
    cudaMemset(d_in, 0, 64 * sizeof(float));
    float* d_out = nullptr;
    cudaMalloc(&d_out, 64 * sizeof(float));
    cudaMemset(d_out, 0, 64 * sizeof(float));
    average<<<1, 64>>>(d_in, d_out, 64);
    average<<<1, 64>>>(d_out, d_in, 63);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
