// Adds to a sum that was never set to 0.
#include <cuda_runtime.h>

__global__ void sum_kernel(int* sum) { atomicAdd(sum, static_cast<int>(threadIdx.x)); }

int main() {
    int* d_sum = nullptr;
    cudaMalloc(&d_sum, sizeof(int));
    sum_kernel<<<1, 32>>>(d_sum);
    cudaDeviceSynchronize();
    cudaFree(d_sum);
}
