// The array of a launch's arguments holds the pointers, and not their addresses.
#include <cuda_runtime.h>

__global__ void double_each(int* items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] *= 2;
}

int main() {
    int* d_items = nullptr;
    int n = 64;
    cudaMalloc(&d_items, n * sizeof(int));
    cudaMemset(d_items, 0, n * sizeof(int));
    void* arguments[] = {d_items, &n};
    cudaLaunchKernel(double_each, dim3(2), dim3(32), arguments, 0, nullptr);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
