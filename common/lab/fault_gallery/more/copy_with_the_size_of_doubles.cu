// The copy has the size of doubles, both arrays that of floats: it fails, and nothing is copied.
#include <cuda_runtime.h>

__global__ void square_of_each(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

int main() {
    const int n = 64;
    float values[n] = {1, 2, 3};
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, values, n * sizeof(double), cudaMemcpyHostToDevice);
    square_of_each<<<1, n>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
