// atomicAdd_block on a counter that all blocks share.
#include <cuda_runtime.h>

__global__ void count_all(const int* in, int* count) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == 0) atomicAdd_block(count, 1);
}

int main() {
    int* d_in = nullptr;
    int* d_count = nullptr;
    cudaMalloc(&d_in, 128 * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_in, 0, 128 * sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    count_all<<<4, 32>>>(d_in, d_count);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_count);
    return 0;
}
