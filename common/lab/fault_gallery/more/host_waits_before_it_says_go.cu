// The copy waits for the kernel, and the kernel for the line after the copy.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_when_told(const volatile int* go, int* count) {
    while (*go == 0) {
    }
    ++*count;
}

int main() {
    int* go;
    int *count, before = 0;
    cudaHostAlloc(&go, sizeof(int), cudaHostAllocMapped);
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    *go = 0;
    count_when_told<<<1, 1>>>(go, count);
    cudaMemcpy(&before, count, sizeof(int), cudaMemcpyDeviceToHost);
    *go = 1;
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("before it was %d\n", before);
    cudaFree(count);
    cudaFreeHost(go);
    return 0;
}
