// Each thread does four items, and the number of blocks is rounded down.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kEach = 4;

__global__ void negate_items(const int* in, int* out, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
    for (int k = 0; k < kEach; ++k) {
        if (first + k < n) out[first + k] = -in[first + k];
    }
}

int main() {
    constexpr int kItems = 1400, kThreads = 128;
    std::vector<int> items(kItems, 3);
    int *in, *out;
    cudaMalloc(&in, kItems * sizeof(int));
    cudaMalloc(&out, kItems * sizeof(int));
    cudaMemcpy(in, items.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    negate_items<<<kItems / (kThreads * kEach), kThreads>>>(in, out, kItems);
    cudaMemcpy(items.data(), out, kItems * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    int sum = 0;
    for (int each : items) sum += each;
    if (sum != -3 * kItems) std::printf("wrong\n");
    return 0;
}
