// A block of 16 threads sums with steps that stay inside it.
#include <cuda_runtime.h>

__global__ void small_block_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xffffu, sum, step);
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 16 * sizeof(int));
    cudaMemset(d_in, 0, 16 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 1 * sizeof(int));
    cudaMemset(d_out, 0, 1 * sizeof(int));
    small_block_sum<<<1, 16>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
