// Threads of two warps each read a byte of every word, and the second warp overwrites the words
// after a __syncwarp(): threads of the first may not have read theirs yet.
#include <cuda_runtime.h>

namespace {

__global__ void swap_bytes(unsigned char* bytes) {
    __shared__ unsigned char part[64];
    part[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
    __syncthreads();
    const unsigned char mine = part[63 - threadIdx.x];
    __syncwarp();
    part[threadIdx.x] = mine;
    __syncthreads();
    bytes[threadIdx.x] = part[threadIdx.x];
}

}  // namespace

int main() {
    unsigned char* d_bytes = nullptr;
    cudaMalloc(&d_bytes, 64);
    swap_bytes<<<1, 64>>>(d_bytes);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    return 0;
}
