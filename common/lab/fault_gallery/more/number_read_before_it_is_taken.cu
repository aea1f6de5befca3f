// The number of entries is read, and then counted up by an atomic operation: two threads get one.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void list_large(const int* values, int n, int* listed, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (values[i] > 100) {
        const int entry = *count;
        listed[entry] = i;
        atomicAdd(count, 1);
    }
}

int main() {
    constexpr int kValues = 256;
    int *values, *listed, *count, found = 0;
    cudaMallocManaged(&values, kValues * sizeof(int));
    cudaMalloc(&listed, kValues * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    for (int i = 0; i < kValues; ++i) values[i] = i % 3 * 90;
    list_large<<<4, 64>>>(values, kValues, listed, count);
    cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost);
    std::printf("%d\n", found);
    cudaFree(values);
    cudaFree(listed);
    cudaFree(count);
    return 0;
}
