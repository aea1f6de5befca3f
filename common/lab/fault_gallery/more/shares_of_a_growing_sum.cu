// The sum is read in a loop while other blocks still add to it.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void share_of_sum(const float* in, float* out, float* sum, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, in[i]);
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] / *sum;
}

int main() {
    const int n = 1000;
    std::vector<float> h(n, 1.0f);
    float *d, *o, *s;
    cudaMalloc(&d, n * 4);
    cudaMalloc(&o, n * 4);
    cudaMalloc(&s, 4);
    cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(s, 0, 4);
    share_of_sum<<<4, 64>>>(d, o, s, n);
    cudaMemcpy(h.data(), o, n * 4, cudaMemcpyDeviceToHost);
    std::printf("%f %f\n", h[0], h[999]);
    cudaFree(d);
    cudaFree(o);
    cudaFree(s);
    return 0;
}
