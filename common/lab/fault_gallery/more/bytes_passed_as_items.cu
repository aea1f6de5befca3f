// The launch passes the number of bytes, and the kernel takes it for the number of items.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void clear_items(float* items, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] = 0;
}

int main() {
    constexpr int kItems = 200;
    const std::size_t bytes = kItems * sizeof(float);
    std::vector<float> items(kItems, 1);
    float* d_items;
    cudaMalloc(&d_items, bytes);
    clear_items<<<(bytes + 127) / 128, 128>>>(d_items, bytes);
    cudaMemcpy(items.data(), d_items, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    if (items[kItems - 1] != 0) std::printf("wrong\n");
    return 0;
}
