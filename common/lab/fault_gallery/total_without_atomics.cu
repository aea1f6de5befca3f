// Every block adds its number to one total, without an atomic operation.
#include <cuda_runtime.h>

__global__ void total_kernel(int* total) {
    if (threadIdx.x == 0) *total += static_cast<int>(blockIdx.x) + 1;
}

int main() {
    int* d_total = nullptr;
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_total, 0, sizeof(int));
    total_kernel<<<8, 32>>>(d_total);
    cudaDeviceSynchronize();
    cudaFree(d_total);
}
