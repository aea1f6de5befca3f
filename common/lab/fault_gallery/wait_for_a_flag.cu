// Thread 0 waits for a flag, and thread 32 sets it after a barrier that thread 0 never reaches.
#include <cuda_runtime.h>

__global__ void flag_kernel(volatile int* flag) {
    if (threadIdx.x == 0) {
        while (*flag == 0) {
        }
    }
    __syncthreads();
    if (threadIdx.x == 32) *flag = 1;
}

int main() {
    int* d_flag = nullptr;
    cudaMalloc(&d_flag, sizeof(int));
    cudaMemset(d_flag, 0, sizeof(int));
    flag_kernel<<<1, 64>>>(d_flag);
    cudaDeviceSynchronize();
    cudaFree(d_flag);
}
