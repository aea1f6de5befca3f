// The loop that lacks barriers has no braces.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scan_by_doubling(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2)
        if (t >= d) {
            int v = s[t - d];
            s[t] += v;
        }
    out[t] = s[t];
}

int main() {
    int h[64];
    for (int i = 0; i < 64; ++i) h[i] = 1;
    int *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    scan_by_doubling<<<1, 64>>>(d, o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h[1]);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
