// The offset of cudaMemcpyToSymbol is in bytes: the second half overwrites part of the first.
#include <cuda_runtime.h>

__constant__ float curve[8];

__global__ void read_kernel(float* numbers) { numbers[threadIdx.x] = curve[threadIdx.x]; }

int main() {
    const float h_curve[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* d_numbers = nullptr;
    cudaMalloc(&d_numbers, sizeof h_curve);
    cudaMemcpyToSymbol(curve, h_curve, 4 * sizeof(float));
    cudaMemcpyToSymbol(curve, h_curve + 4, 4 * sizeof(float), 4);
    read_kernel<<<1, 8>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
