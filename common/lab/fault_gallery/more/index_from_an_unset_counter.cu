// The counter that gives out places has no first value.
#include <cuda_runtime.h>

__global__ void keep_even_items(const int* in, int* out, int* count) {
    if (in[threadIdx.x] % 2 == 0) out[atomicAdd(count, 1)] = in[threadIdx.x];
}

int main() {
    int *d_in = nullptr, *d_out = nullptr, *d_count = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    keep_even_items<<<1, 64>>>(d_in, d_out, d_count);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_count);
    return 0;
}
