// The number of items is not a multiple of 4, and the last float4 ends beyond the array.
#include <cuda_runtime.h>

__global__ void scale(float* items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    float4 four = reinterpret_cast<float4*>(items)[i];
    four.x *= 2, four.y *= 2, four.z *= 2, four.w *= 2;
    reinterpret_cast<float4*>(items)[i] = four;
}

int main() {
    constexpr int kItems = 1002;
    float* d_items = nullptr;
    cudaMalloc(&d_items, kItems * sizeof(float));
    cudaMemset(d_items, 0, kItems * sizeof(float));
    scale<<<1, 256>>>(d_items, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
