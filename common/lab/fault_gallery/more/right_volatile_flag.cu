// A volatile flag between blocks, with fences on both sides.
#include <cuda_runtime.h>

__global__ void wait_volatile(volatile int* flag, int* data, int* out) {
    if (blockIdx.x == 0) {
        *data = 17;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) __nanosleep(10);
        __threadfence();
        out[blockIdx.x] = *data;
    }
}

int main() {
    int* d_flag = nullptr;
    cudaMalloc(&d_flag, 1 * sizeof(int));
    cudaMemset(d_flag, 0, 1 * sizeof(int));
    int* d_data = nullptr;
    cudaMalloc(&d_data, 1 * sizeof(int));
    cudaMemset(d_data, 0, 1 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    wait_volatile<<<4, 1>>>(d_flag, d_data, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_flag);
    cudaFree(d_data);
    cudaFree(d_out);
    return 0;
}
