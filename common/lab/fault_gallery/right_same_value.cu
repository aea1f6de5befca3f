// No fault: many threads store the same value, so it does not matter which is last.
#include <cuda_runtime.h>

__global__ void any_kernel(const int* items, int* any) {
    if (items[blockIdx.x * blockDim.x + threadIdx.x] != 0) *any = 1;
}

int main() {
    int *d_items = nullptr, *d_any = nullptr;
    cudaMalloc(&d_items, 256 * sizeof(int));
    cudaMalloc(&d_any, sizeof(int));
    cudaMemset(d_items, 1, 256 * sizeof(int));
    cudaMemset(d_any, 0, sizeof(int));
    any_kernel<<<4, 64>>>(d_items, d_any);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_any);
}
