// memset and memcpy of a thread's own items, which all others read after a barrier.
#include <cuda_runtime.h>
#include <cstring>

__global__ void pack_and_turn(const int* in, int* out) {
    __shared__ int items[128];
    memset(&items[4 * threadIdx.x], 0, 16);
    memcpy(&items[4 * threadIdx.x], &in[4 * threadIdx.x], 3 * sizeof(int));
    __syncthreads();
    memcpy(&out[4 * threadIdx.x], &items[4 * (31 - threadIdx.x)], 16);
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 128 * sizeof(int));
    cudaMemset(d_in, 0, 128 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 128 * sizeof(int));
    cudaMemset(d_out, 0, 128 * sizeof(int));
    pack_and_turn<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
