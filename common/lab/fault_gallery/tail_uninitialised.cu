// 50 keys in an array of 64: the comparison reads keys that were never written.
#include <cuda_runtime.h>

__global__ void compare_kernel(const int* keys, int* swaps, unsigned n) {
    __shared__ int s[64];
    const unsigned k = threadIdx.x;
    if (k < n) s[k] = keys[k];
    __syncthreads();  // all keys are there
    if (k + 1 < 64 && s[k] > s[k + 1]) atomicAdd(swaps, 1);
}

int main() {
    int *d_keys = nullptr, *d_swaps = nullptr;
    cudaMalloc(&d_keys, 50 * sizeof(int));
    cudaMalloc(&d_swaps, sizeof(int));
    cudaMemset(d_keys, 0, 50 * sizeof(int));
    cudaMemset(d_swaps, 0, sizeof(int));
    compare_kernel<<<1, 64>>>(d_keys, d_swaps, 50);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_swaps);
}
