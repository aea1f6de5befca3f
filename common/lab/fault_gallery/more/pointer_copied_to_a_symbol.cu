// The copy to a pointer variable is given the pointer, not its address.
#include <cuda_runtime.h>

__device__ const float* response;

__global__ void on_curve(float* values) { values[threadIdx.x] *= response[threadIdx.x % 8]; }

int main() {
    float* d_curve = nullptr;
    float* d_values = nullptr;
    cudaMalloc(&d_curve, 8 * sizeof(float));
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_curve, 0, 8 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    cudaMemcpyToSymbol(response, d_curve, sizeof(float*));
    on_curve<<<1, 32>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_curve);
    cudaFree(d_values);
    return 0;
}
