// Each round allocates memory and never frees it.
#include <cuda_runtime.h>

__global__ void clear_kernel(int* items) { items[threadIdx.x] = 0; }

int main() {
    for (int round = 0; round < 2; ++round) {
        int* d_items = nullptr;
        cudaMalloc(&d_items, 32 * sizeof(int));
        clear_kernel<<<1, 32>>>(d_items);
    }
    cudaDeviceSynchronize();
}
