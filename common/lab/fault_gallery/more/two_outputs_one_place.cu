// Two threads of each block choose the same place of the output.
#include <cuda_runtime.h>

__global__ void compact_by_half(const int* in, int* out) { out[threadIdx.x / 2] = in[threadIdx.x]; }

int main() {
    int h_in[64];
    for (int i = 0; i < 64; ++i) h_in[i] = i;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    compact_by_half<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
