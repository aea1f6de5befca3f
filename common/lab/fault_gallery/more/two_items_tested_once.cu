// Each thread changes two items and tests the first one: there is an odd number of them
#include <cuda_runtime.h>

__global__ void scale_two(float* items, int count) {
    const int i = 2 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        items[i] *= 2;
        items[i + 1] *= 2;
    }
}

int main() {
    constexpr int kItems = 101;
    float* d_items = nullptr;
    cudaMalloc(&d_items, kItems * sizeof(float));
    cudaMemset(d_items, 0, kItems * sizeof(float));
    scale_two<<<1, 64>>>(d_items, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
