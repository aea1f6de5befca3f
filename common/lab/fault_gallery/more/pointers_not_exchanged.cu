// After the first round both pointers are one: the second is lost instead of exchanged.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void spread_heat(const float* __restrict__ now, float* __restrict__ next, const int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = 0.25f * (now[i - 1] + 2 * now[i] + now[i + 1]);
}

int main() {
    constexpr int kItems = 256;
    float host[kItems];
    for (int i = 0; i < kItems; ++i) host[i] = static_cast<float>(i * i);
    float *first, *second;
    cudaMalloc(&first, sizeof host);
    cudaMalloc(&second, sizeof host);
    cudaMemcpy(first, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(second, host, sizeof host, cudaMemcpyHostToDevice);
    float *now = first, *next = second;
    for (int round = 0; round < 3; ++round) {
        spread_heat<<<4, 64>>>(now, next, kItems);
        now = next;
    }
    cudaMemcpy(host, now, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%f\n", host[255]);
    cudaFree(first);
    cudaFree(second);
    return 0;
}
