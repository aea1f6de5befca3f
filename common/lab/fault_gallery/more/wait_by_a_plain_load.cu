// Block 1 waits for block 0 by a plain load, which a compiler may move out of the loop.
#include <cuda_runtime.h>

__global__ void wait_for_other_block(int* flag, int* item) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *item = 5;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *item += 1;
    }
}

int main() {
    int* d_words = nullptr;
    cudaMalloc(&d_words, 2 * sizeof(int));
    cudaMemset(d_words, 0, 2 * sizeof(int));
    wait_for_other_block<<<2, 32>>>(d_words, d_words + 1);
    cudaDeviceSynchronize();
    cudaFree(d_words);
    return 0;
}
