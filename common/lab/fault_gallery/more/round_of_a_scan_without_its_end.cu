// Each round of the scan stores what the next one reads, and no barrier is between the two.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scan_of_a_block(const int* in, int* out) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    int sum = sums[t];

    /* add what is `step` items before */
    for (int step = 1; step < 128; step *= 2) {
        if (t >= step) {
            sum = sums[t - step] + sums[t];
        }
        __syncthreads();
        sums[t] = sum;
    }
    out[t] = sum;
}

int main() {
    int host[128];
    for (int& each : host) each = 1;
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scan_of_a_block<<<1, 128>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
