// The places in an array of all blocks come from a counter that each block has for itself.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void keep_even_by_block(const int* in, int* out, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0) {
        int at = atomicAdd(&count, 1);
        out[at] = in[i];
    }
}

int main() {
    int h[512], *d, *o;
    for (int i = 0; i < 512; ++i) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof h);
    keep_even_by_block<<<4, 128>>>(d, o, 512);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h[0]);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
