// The sum in shared memory adds the item after the one that it should.
#include <cuda_runtime.h>

__global__ void sum_of_halves(const float* in, float* sums) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half + 1];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

int main() {
    float *d_in = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_in, 512 * sizeof(float));
    cudaMalloc(&d_sums, 4 * sizeof(float));
    cudaMemset(d_in, 0, 512 * sizeof(float));
    sum_of_halves<<<4, 128>>>(d_in, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_sums);
    return 0;
}
