// The number of items is divided by a count that is 0 for the first thread.
#include <cuda_runtime.h>

__global__ void divide(int* out, int n) { out[threadIdx.x] = n / static_cast<int>(threadIdx.x); }

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    divide<<<1, 32>>>(d_out, 100);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
