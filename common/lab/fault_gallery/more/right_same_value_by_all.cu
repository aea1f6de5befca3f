// All threads store the same value in one word.
#include <cuda_runtime.h>

__global__ void any_negative(const int* in, int* found) {
    if (in[threadIdx.x] == 0) *found = 1;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    int* d_found = nullptr;
    cudaMalloc(&d_found, 1 * sizeof(int));
    cudaMemset(d_found, 0, 1 * sizeof(int));
    any_negative<<<2, 32>>>(d_in, d_found);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_found);
    return 0;
}
