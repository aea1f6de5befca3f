// The sum has no initial value.
#include <cuda_runtime.h>

__global__ void sum_rows(const float* in, float* out) {
    float sum;
    for (int i = 0; i < 4; ++i) sum += in[4 * threadIdx.x + i];
    out[threadIdx.x] = sum;
}

int main() {
    float* d_in = nullptr;
    float* d_out = nullptr;
    cudaMalloc(&d_in, 128 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemset(d_in, 0, 128 * sizeof(float));
    sum_rows<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
