// Each block waits for the sum of the one before it: volatile does not order the sum and its flag.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void running_sums_kernel(const int* in, volatile int* sums, volatile int* ready,
                                    int* out) {
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (ready[b - 1] == 0) __nanosleep(20);
            before = sums[b - 1];
        }
        sums[b] = before + in[b];
        ready[b] = 1;
        out[b] = before + in[b];
    }
}

int main() {
    const int n = 8;
    int h[n], *in, *sums, *ready, *out;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&sums, sizeof h);
    cudaMalloc(&ready, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(ready, 0, sizeof h);
    running_sums_kernel<<<n, 32>>>(in, sums, ready, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h[n - 1]);
    cudaFree(in);
    cudaFree(sums);
    cudaFree(ready);
    cudaFree(out);
    return 0;
}
