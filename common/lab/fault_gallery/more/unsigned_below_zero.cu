// The left neighbour of item 0: i - 1 is unsigned, and wraps around.
#include <cuda_runtime.h>

__global__ void left_neighbours(const float* in, float* out) {
    const unsigned i = threadIdx.x;
    out[i] = in[i] - in[i - 1];
}

int main() {
    float* d_in = nullptr;
    float* d_out = nullptr;
    cudaMalloc(&d_in, 32 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemset(d_in, 0, 32 * sizeof(float));
    left_neighbours<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
