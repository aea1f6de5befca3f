// A __device__ table of 16 items, with an index of up to 31.
#include <cuda_runtime.h>

__device__ int table[16];

__global__ void fill_table() { table[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    fill_table<<<1, 32>>>();
    cudaDeviceSynchronize();
    return 0;
}
