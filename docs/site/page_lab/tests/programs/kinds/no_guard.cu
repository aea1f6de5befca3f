// A warp beyond the end of an array.
#include <cuda_runtime.h>

__global__ void square_kernel(int* items) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    items[i] = i * i;
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 100 * sizeof(int));
    square_kernel<<<2, 64>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
