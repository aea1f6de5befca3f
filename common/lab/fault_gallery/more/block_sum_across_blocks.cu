// Blocks add floats to one total with atomicAdd_block, which is atomic only within a block
#include <cuda_runtime.h>

__global__ void total_kernel(float* total) { atomicAdd_block(total, 1.0f); }

int main() {
    float* d_total = nullptr;
    cudaMalloc(&d_total, sizeof(float));
    cudaMemset(d_total, 0, sizeof(float));
    total_kernel<<<2, 32>>>(d_total);
    cudaDeviceSynchronize();
    cudaFree(d_total);
    return 0;
}
