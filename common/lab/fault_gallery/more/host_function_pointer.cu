// A table of function pointers is filled on the host, with host addresses.
#include <cuda_runtime.h>
#include <cstdio>

using UnaryOfTable = float (*)(float);
__host__ __device__ float twice_of_table(float x) { return 2 * x; }

__global__ void call_table(const UnaryOfTable* table, float* out) { *out = table[0](21); }

int main() {
    const UnaryOfTable table[1] = {twice_of_table};
    UnaryOfTable* d_table = nullptr;
    float *d_out = nullptr, out = 0;
    cudaMalloc(&d_table, sizeof table);
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice);
    call_table<<<1, 1>>>(d_table, d_out);
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%g\n", out);
    cudaFree(d_table);
    cudaFree(d_out);
    return 0;
}
