// Each block stores its sum to the same place.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store_block_sum(const float* in, float* out, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : 0;
    for (int d = 64; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) *out = s[0];
}

int main() {
    float h[500], r;
    for (int i = 0; i < 500; ++i) h[i] = i;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    store_block_sum<<<4, 128>>>(d, o, 500);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost);
    std::printf("%f\n", r);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
