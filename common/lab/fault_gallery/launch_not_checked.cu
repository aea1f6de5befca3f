// A block of 2048 threads does not exist; the kernel never runs, and no error is checked.
#include <cuda_runtime.h>

__global__ void clear_kernel(int* items) { items[threadIdx.x] = 0; }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 2048 * sizeof(int));
    clear_kernel<<<1, 2048>>>(d_items);
    cudaFree(d_items);
}
