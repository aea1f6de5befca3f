// Threads beyond the end return, and the others wait for them at the barrier.
#include <cuda_runtime.h>

__global__ void rotate_kernel(int* items, unsigned n) {
    __shared__ int tile[64];
    const unsigned t = threadIdx.x;
    if (t >= n) return;
    tile[t] = items[t];
    __syncthreads();  // the tile is complete
    items[t] = tile[(t + 1) % n];
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 50 * sizeof(int));
    cudaMemset(d_items, 0, 50 * sizeof(int));
    rotate_kernel<<<1, 64>>>(d_items, 50);
    cudaDeviceSynchronize();
    cudaFree(d_items);
}
