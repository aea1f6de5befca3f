// sizeof of a pointer: only 8 of 128 bytes are copied.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void twice_the_input(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
    int* const h_in = static_cast<int*>(calloc(32, sizeof(int)));
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof(h_in), cudaMemcpyHostToDevice);
    twice_the_input<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    return 0;
}
