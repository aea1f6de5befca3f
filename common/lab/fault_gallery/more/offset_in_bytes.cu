// An offset in bytes is added to a float*, which counts floats
#include <cuda_runtime.h>

__global__ void double_part(float* items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] *= 2;
}

int main() {
    constexpr int kParts = 4, kItems = 32;
    const int part_bytes = kItems * sizeof(float);
    float* d_items;
    cudaMalloc(&d_items, kParts * part_bytes);
    cudaMemset(d_items, 0, kParts * part_bytes);
    for (int part = 0; part < kParts; ++part) {
        double_part<<<1, kItems>>>(d_items + part * part_bytes, kItems);
    }
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
