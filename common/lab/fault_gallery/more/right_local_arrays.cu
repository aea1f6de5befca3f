// A local histogram, filled from an initialiser and given to a function.
#include <cuda_runtime.h>

__device__ int largest(const int* bins, int count) {
    int best = 0;
    for (int i = 1; i < count; ++i) best = bins[i] > bins[best] ? i : best;
    return best;
}

__global__ void mode_of_eight(const int* in, int* out) {
    int bins[4] = {};
    for (int i = 0; i < 8; ++i) bins[(in[8 * threadIdx.x + i] + i) & 3] += 1;
    out[threadIdx.x] = largest(bins, 4);
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_out, 0, 32 * sizeof(int));
    mode_of_eight<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
