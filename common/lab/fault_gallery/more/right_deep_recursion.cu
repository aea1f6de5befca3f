// A recursion that needs 150 KB of stack asks for it before the first launch
#include <cuda_runtime.h>

__device__ int sum_of_levels(int level) {
    volatile int here[64];
    here[level % 64] = level;
    return level == 0 ? 0 : here[level % 64] + sum_of_levels(level - 1);
}

__global__ void sum_recursively(int* out, int levels) { *out = sum_of_levels(levels); }

int main() {
    cudaDeviceSetLimit(cudaLimitStackSize, 256 * 1024);
    int *d_out = nullptr, out = 0;
    cudaMalloc(&d_out, sizeof(int));
    sum_recursively<<<1, 1>>>(d_out, 500);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return out - 125250;
}
