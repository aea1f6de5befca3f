// cudaMemcpyToSymbol gets the number of items instead of bytes: a quarter of the table is set.
#include <cuda_runtime.h>

__constant__ float weights[32];

__global__ void weigh_kernel(float* sums) {
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += weights[i];
    sums[threadIdx.x] = sum;
}

int main() {
    float h_weights[32];
    for (float& each : h_weights) each = 1;
    float* d_sums = nullptr;
    cudaMalloc(&d_sums, 32 * sizeof(float));
    cudaMemcpyToSymbol(weights, h_weights, 32);
    weigh_kernel<<<1, 32>>>(d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    return 0;
}
