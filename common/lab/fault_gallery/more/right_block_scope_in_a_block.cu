// atomicAdd_block and __threadfence_block among the threads of one block.
#include <cuda_runtime.h>

__global__ void hand_over(int* out) {
    __shared__ int value, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 42;
        __threadfence_block();
        atomicExch_block(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(&flag, 0) == 0) __nanosleep(10);
        __threadfence_block();
        *out = value;
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 1 * sizeof(int));
    cudaMemset(d_out, 0, 1 * sizeof(int));
    hand_over<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
