// A plain load reads the limit while other threads add to it atomically.
#include <cuda_runtime.h>

__global__ void count_to_a_limit(int* count) {
    if (*count < 100) atomicAdd(count, 1);
}

int main() {
    int* d_count = nullptr;
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    count_to_a_limit<<<4, 64>>>(d_count);
    cudaDeviceSynchronize();
    cudaFree(d_count);
    return 0;
}
