// volatile does not make an addition atomic.
#include <cuda_runtime.h>

__global__ void count_blocks(volatile int* count) {
    if (threadIdx.x == 0) *count = *count + 1;
}

int main() {
    int* d_count = nullptr;
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    count_blocks<<<8, 32>>>(d_count);
    cudaDeviceSynchronize();
    cudaFree(d_count);
    return 0;
}
