// Uses __syncthreads() as a barrier of the whole grid, as a bitonic sort of four blocks once did.
#include <cuda_runtime.h>

__global__ void exchange_kernel(int* keys) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned partner = i ^ 64;  // in another block
    const int mine = keys[i], other = keys[partner];
    __syncthreads();  // meant to be: all keys have been read
    keys[i] = (i < partner) == (mine < other) ? mine : other;
}

int main() {
    int keys[256];
    for (int i = 0; i < 256; ++i) keys[i] = (i * 37) % 256;
    int* d_keys = nullptr;
    cudaMalloc(&d_keys, sizeof keys);
    cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
    exchange_kernel<<<4, 64>>>(d_keys);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
}
