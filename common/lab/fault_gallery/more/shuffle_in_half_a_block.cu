// A warp sum in a block of 16 threads: the first step reads from lanes that do not exist.
#include <cuda_runtime.h>

__global__ void half_block_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 16 * sizeof(int));
    cudaMalloc(&d_out, 1 * sizeof(int));
    cudaMemset(d_in, 0, 16 * sizeof(int));
    half_block_sum<<<1, 16>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
