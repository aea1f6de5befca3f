// Thread 0 clears the counters with memset while others are already counting.
#include <cuda_runtime.h>
#include <cstring>

__global__ void clear_and_count(const int* in, int* out) {
    __shared__ int counts[32];
    if (threadIdx.x == 0) memset(counts, 0, sizeof counts);
    atomicAdd(&counts[in[threadIdx.x] & 31], 1);
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = counts[threadIdx.x];
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    clear_and_count<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
