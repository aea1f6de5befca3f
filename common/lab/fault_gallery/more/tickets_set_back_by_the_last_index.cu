// The block with the largest index sets the tickets back; it need not be the last to take one.
#include <cuda_runtime.h>

__device__ unsigned tickets_taken = 0;

__global__ void sum_by_ticket(const int* in, int* partial, int* out) {
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    const unsigned ticket = atomicAdd(&tickets_taken, 1u);
    if (blockIdx.x == gridDim.x - 1) tickets_taken = 0;
    if (ticket == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) sum += partial[block];
        *out = sum;
    }
}

int main() {
    constexpr int kBlocks = 8;
    int *d_in, *d_partial, *d_out;
    cudaMalloc(&d_in, kBlocks * sizeof(int));
    cudaMalloc(&d_partial, kBlocks * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_in, 0, kBlocks * sizeof(int));
    sum_by_ticket<<<kBlocks, 32>>>(d_in, d_partial, d_out);
    sum_by_ticket<<<kBlocks, 32>>>(d_in, d_partial, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    return 0;
}
