// A local array of 8 items, and a loop that counts up to and including 8.
#include <cuda_runtime.h>

__global__ void prefix_of_eight(const int* in, int* out) {
    int sums[8];
    sums[0] = in[0];
    for (int i = 1; i <= 8; ++i) sums[i] = sums[i - 1] + in[i];
    for (int i = 0; i < 8; ++i) out[i] = sums[i];
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 16 * sizeof(int));
    cudaMalloc(&d_out, 16 * sizeof(int));
    cudaMemset(d_in, 0, 16 * sizeof(int));
    prefix_of_eight<<<1, 1>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
