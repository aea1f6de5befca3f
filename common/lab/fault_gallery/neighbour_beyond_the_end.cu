// Compares each key with its right neighbour before asking whether there is one.
#include <cuda_runtime.h>

__global__ void compare_kernel(const int* keys, int* swaps, unsigned n) {
    __shared__ int s[64];
    const unsigned k = threadIdx.x;
    s[k] = keys[k];
    __syncthreads();  // all keys are there
    if (s[k] > s[k + 1] && k + 1 < n) atomicAdd(swaps, 1);
}

int main() {
    int *d_keys = nullptr, *d_swaps = nullptr;
    cudaMalloc(&d_keys, 64 * sizeof(int));
    cudaMalloc(&d_swaps, sizeof(int));
    cudaMemset(d_keys, 0, 64 * sizeof(int));
    cudaMemset(d_swaps, 0, sizeof(int));
    compare_kernel<<<1, 64>>>(d_keys, d_swaps, 64);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_swaps);
}
