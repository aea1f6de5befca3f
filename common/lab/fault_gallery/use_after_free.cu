// The array is freed between two launches that use it.
#include <cuda_runtime.h>

__global__ void clear_kernel(int* items) { items[threadIdx.x] = 0; }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 32 * sizeof(int));
    clear_kernel<<<1, 32>>>(d_items);
    cudaFree(d_items);
    clear_kernel<<<1, 32>>>(d_items);
    cudaDeviceSynchronize();
}
