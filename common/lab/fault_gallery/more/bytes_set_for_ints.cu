// cudaMemset sets bytes: each int becomes 0x01010101, not 1
#include <cuda_runtime.h>

__global__ void double_counts(int* counts) { counts[threadIdx.x] *= 2; }

int main() {
    constexpr int kItems = 32;
    int* d_counts;
    cudaMalloc(&d_counts, kItems * sizeof(int));
    cudaMemset(d_counts, 1, kItems * sizeof(int));
    double_counts<<<1, kItems>>>(d_counts);
    cudaDeviceSynchronize();
    cudaFree(d_counts);
    return 0;
}
