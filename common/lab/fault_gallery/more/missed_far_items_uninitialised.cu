// The sum starts at an item that was never written, 64 MB past the start of its array
#include <cuda_runtime.h>

__global__ void sum_far_kernel(const int* in, int first, int* sum) {
    atomicAdd(sum, in[first + threadIdx.x]);
}

int main() {
    const int n = 1 << 25;
    int *d_in = nullptr, *d_sum = nullptr;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_in, 0, n / 4 * sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    sum_far_kernel<<<1, 32>>>(d_in, n / 2, d_sum);
    cudaFree(d_in);
    cudaFree(d_sum);
    return 0;
}
