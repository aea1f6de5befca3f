// The lanes that match elect a leader; one atomic serves them all.
#include <cuda_runtime.h>

__global__ void filter_positive(const int* in, int* out, int* count) {
    const int value = in[threadIdx.x];
    const unsigned lane = threadIdx.x % 32;
    const unsigned votes = __ballot_sync(0xffffffffu, value >= 0);
    if (value < 0) return;
    const int leader = __ffs(votes) - 1;
    int base = 0;
    if (static_cast<int>(lane) == leader) base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(votes, base, leader);
    out[base + __popc(votes & ((1u << lane) - 1u))] = value;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_out, 0, 64 * sizeof(int));
    int* d_count = nullptr;
    cudaMalloc(&d_count, 1 * sizeof(int));
    cudaMemset(d_count, 0, 1 * sizeof(int));
    filter_positive<<<1, 64>>>(d_in, d_out, d_count);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_count);
    return 0;
}
