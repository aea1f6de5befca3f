// Only the lanes with an item run the sum, which reads from lanes that are not there.
#include <cuda_runtime.h>

#include <cstdio>

__device__ float sum_of_those_here(float value) {
    const unsigned here = __activemask();
    for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(here, value, away);
    return value;
}

__global__ void mean_of_tail(const float* x, int n, float* mean) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float sum = sum_of_those_here(x[i]);
        if (threadIdx.x % 32 == 0) atomicAdd(mean, sum / n);
    }
}

int main() {
    constexpr int kItems = 150;
    float items[kItems], result = 0;
    for (float& each : items) each = 2;
    float *x, *mean;
    cudaMalloc(&x, sizeof(items));
    cudaMalloc(&mean, sizeof(float));
    cudaMemcpy(x, items, sizeof(items), cudaMemcpyHostToDevice);
    cudaMemset(mean, 0, sizeof(float));
    mean_of_tail<<<3, 64>>>(x, kItems, mean);
    cudaMemcpy(&result, mean, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("the mean is %.2f\n", result);
    cudaFree(x);
    cudaFree(mean);
    return 0;
}
