// The last block relies on fences that only its own threads see.
#include <cuda_runtime.h>

__global__ void narrow_fence_sum(const int* in, int* partial, unsigned* ticket, int* out) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence_block();
    if (atomicAdd(ticket, 1u) != gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
    *out = sum;
}

int main() {
    int* d_in = nullptr;
    int* d_partial = nullptr;
    unsigned* d_ticket = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 8 * sizeof(int));
    cudaMalloc(&d_partial, 8 * sizeof(int));
    cudaMalloc(&d_ticket, sizeof(unsigned));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_in, 0, 8 * sizeof(int));
    cudaMemset(d_ticket, 0, sizeof(unsigned));
    narrow_fence_sum<<<8, 1>>>(d_in, d_partial, d_ticket, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_ticket);
    cudaFree(d_out);
    return 0;
}
