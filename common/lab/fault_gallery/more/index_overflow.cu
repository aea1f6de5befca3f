// A product of two ints overflows before it becomes an index.
#include <cuda_runtime.h>

__global__ void far_item(const int* in, int* out, int row, int width) { *out = in[row * width]; }

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    far_item<<<1, 1>>>(d_in, d_out, 50000, 50000);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
