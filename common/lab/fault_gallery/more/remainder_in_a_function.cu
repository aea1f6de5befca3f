// The function takes the remainder of a number below 0, which is below 0.
#include <cuda_runtime.h>

__device__ int wrapped(int i, int n) { return i % n; }

__global__ void add_echo(const float* ring, float* out, int n, int lag) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = ring[i] + ring[wrapped(i - lag, n)];
}

int main() {
    float *d_ring = nullptr, *d_out = nullptr;
    cudaMalloc(&d_ring, 64 * sizeof(float));
    cudaMalloc(&d_out, 64 * sizeof(float));
    cudaMemset(d_ring, 0, 64 * sizeof(float));
    add_echo<<<1, 64>>>(d_ring, d_out, 64, 5);
    cudaDeviceSynchronize();
    cudaFree(d_ring);
    cudaFree(d_out);
    return 0;
}
