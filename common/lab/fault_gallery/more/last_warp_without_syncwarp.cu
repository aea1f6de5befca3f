// The unrolled last warp: volatile does not make its lanes run in step.
#include <cuda_runtime.h>

__device__ void add_last_64(volatile int* sums, int t) {
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
}

__global__ void sums_of_eights(const int* in, int* out) {
    __shared__ int sums[128];
    const int t = static_cast<int>(threadIdx.x);
    sums[t] = in[t];
    __syncthreads();  // all items are there
    if (t < 64) sums[t] += sums[t + 64];
    __syncthreads();  // 64 sums are left
    if (t < 32) add_last_64(sums, t);
    if (t == 0) *out = sums[0];
}

int main() {
    int h_in[128];
    for (int& each : h_in) each = 1;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sums_of_eights<<<1, 128>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
