// After 0 comes the largest unsigned number, which is >= 0 as well
#include <cuda_runtime.h>

__global__ void sums_from_the_end(const float* in, float* out, unsigned n) {
    float sum = 0;
    for (unsigned i = n - 1; i >= 0; --i) {
        sum += in[i];
        out[i] = sum;
    }
}

int main() {
    constexpr unsigned kItems = 6;
    float *d_in, *d_out;
    cudaMalloc(&d_in, kItems * sizeof(float));
    cudaMalloc(&d_out, kItems * sizeof(float));
    cudaMemset(d_in, 0, kItems * sizeof(float));
    sums_from_the_end<<<1, 1>>>(d_in, d_out, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    cudaFree(d_in);
    return 0;
}
