// n * n * 4 does not fit into 32 bits: the allocation has 18,532 bytes instead of 8 GiB.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void last_of_a_square(float* square, std::size_t n) {
    square[n * n - 1 - threadIdx.x] = 1;
}

int main() {
    const unsigned n = 46341;
    float* d_square = nullptr;
    cudaMalloc(&d_square, n * n * 4);
    last_of_a_square<<<1, 32>>>(d_square, n);
    cudaDeviceSynchronize();
    cudaFree(d_square);
    return 0;
}
