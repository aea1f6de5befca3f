// The mask names all 32 lanes, but only 16 take part.
#include <cuda_runtime.h>

__global__ void half_kernel(int* items) {
    int value = items[threadIdx.x];
    if (threadIdx.x < 16) value += __shfl_down_sync(0xffffffffu, value, 8);
    items[threadIdx.x] = value;
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 32 * sizeof(int));
    cudaMemset(d_items, 0, 32 * sizeof(int));
    half_kernel<<<1, 32>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
