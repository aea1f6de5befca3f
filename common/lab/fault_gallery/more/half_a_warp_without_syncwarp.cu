// 16 lanes add up without a barrier, and one that they need waits for all 32.
#include <cuda_runtime.h>

__global__ void sum_sixteen(const int* items, int* sum) {
    __shared__ int s[64];
    const unsigned t = threadIdx.x;
    s[t] = items[t];
    __syncthreads();
    if (t < 16) {
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) *sum = s[0];
}

int main() {
    int *d_items = nullptr, *d_sum = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    int h_items[64];
    for (int i = 0; i < 64; ++i) h_items[i] = i;
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    sum_sixteen<<<1, 64>>>(d_items, d_sum);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_sum);
    return 0;
}
