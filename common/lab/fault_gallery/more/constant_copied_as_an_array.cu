// cudaMemcpy to a __constant__ variable: its name is not a device address.
#include <cuda_runtime.h>

__constant__ float factors[16];

__global__ void scale_kernel(float* numbers) { numbers[threadIdx.x] *= factors[threadIdx.x]; }

int main() {
    const float h_factors[16] = {1, 2, 3};
    float* d_numbers = nullptr;
    cudaMalloc(&d_numbers, sizeof h_factors);
    cudaMemset(d_numbers, 0, sizeof h_factors);
    cudaMemcpy(factors, h_factors, sizeof h_factors, cudaMemcpyHostToDevice);
    scale_kernel<<<1, 16>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
