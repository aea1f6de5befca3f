// The kernel takes void* and makes double* of it, but the items are floats
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void halve_all(void* data, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) static_cast<double*>(data)[i] *= 0.5;
}

int main() {
    constexpr int kItems = 1000;
    std::vector<float> items(kItems, 1.0f);
    float* d_items = nullptr;
    cudaMalloc(&d_items, kItems * sizeof(float));
    cudaMemcpy(d_items, items.data(), kItems * sizeof(float), cudaMemcpyHostToDevice);
    halve_all<<<(kItems + 255) / 256, 256>>>(d_items, kItems);
    cudaMemcpy(items.data(), d_items, kItems * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\n", items[0]);
    cudaFree(d_items);
    return 0;
}
