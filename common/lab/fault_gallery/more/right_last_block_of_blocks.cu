// The last block adds up what all have stored; every thread has a fence on both sides.
#include <cuda_runtime.h>

__global__ void last_block_sum(const int* in, int* partial, unsigned* ticket, int* out) {
    __shared__ bool is_last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    int sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += partial[i];
    atomicAdd(out, sum);
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    int* d_partial = nullptr;
    cudaMalloc(&d_partial, 256 * sizeof(int));
    cudaMemset(d_partial, 0, 256 * sizeof(int));
    unsigned* d_ticket = nullptr;
    cudaMalloc(&d_ticket, 1 * sizeof(unsigned));
    cudaMemset(d_ticket, 0, 1 * sizeof(unsigned));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 1 * sizeof(int));
    cudaMemset(d_out, 0, 1 * sizeof(int));
    last_block_sum<<<4, 64>>>(d_in, d_partial, d_ticket, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_ticket);
    cudaFree(d_out);
    return 0;
}
