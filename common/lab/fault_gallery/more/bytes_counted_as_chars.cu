// A char is signed: the bytes from 128 on are indexes below 0 of the block's table.
#include <cuda_runtime.h>

struct Colour {
    signed char red, green;
};

__global__ void count_reds(const Colour* pixels, int* counts) {
    __shared__ int table[256];
    table[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&table[pixels[threadIdx.x].red], 1);
    __syncthreads();
    counts[threadIdx.x] = table[threadIdx.x];
}

int main() {
    Colour h_pixels[256];
    for (int i = 0; i < 256; ++i) h_pixels[i] = {static_cast<signed char>(i), 0};
    Colour* d_pixels = nullptr;
    int* d_counts = nullptr;
    cudaMalloc(&d_pixels, sizeof h_pixels);
    cudaMalloc(&d_counts, 256 * sizeof(int));
    cudaMemcpy(d_pixels, h_pixels, sizeof h_pixels, cudaMemcpyHostToDevice);
    count_reds<<<1, 256>>>(d_pixels, d_counts);
    cudaDeviceSynchronize();
    cudaFree(d_pixels);
    cudaFree(d_counts);
    return 0;
}
