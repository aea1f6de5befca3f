// The left neighbour of the first item.
#include <cuda_runtime.h>

__global__ void difference_kernel(const int* items, int* differences) {
    const int i = static_cast<int>(threadIdx.x);
    differences[i] = items[i] - items[i - 1];
}

int main() {
    int *d_items = nullptr, *d_differences = nullptr;
    cudaMalloc(&d_items, 32 * sizeof(int));
    cudaMalloc(&d_differences, 32 * sizeof(int));
    cudaMemset(d_items, 0, 32 * sizeof(int));
    difference_kernel<<<1, 32>>>(d_items, d_differences);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_differences);
}
