// The kernel keeps some of the items, and the host reads as many as there were.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void keep_positive(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        int place = atomicAdd(count, 1);
        out[place] = in[i];
    }
}

int main() {
    constexpr int kItems = 256;
    std::vector<int> items(kItems);
    for (int i = 0; i < kItems; ++i) items[i] = i % 2 != 0 ? 1 : -1;
    int *in, *out, *count;
    cudaMalloc(&in, kItems * sizeof(int));
    cudaMalloc(&out, kItems * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    cudaMemcpy(in, items.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    keep_positive<<<2, 128>>>(in, out, count, kItems);
    cudaMemcpy(items.data(), out, kItems * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
    int sum = 0;
    for (int each : items) sum += each;
    if (sum != kItems / 2) std::printf("wrong\n");
    return 0;
}
