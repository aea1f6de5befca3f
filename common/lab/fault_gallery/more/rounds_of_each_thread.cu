// Each thread goes on until its own value is small, and a round has a barrier.
#include <cuda_runtime.h>

__global__ void halve_with_neighbour(float* items) {
    __shared__ float shared_items[64];
    const int t = threadIdx.x;
    float value = items[t];
    while (value > 1.0f) {
        shared_items[t] = value;
        __syncthreads();
        value = 0.25f * (shared_items[t] + shared_items[t ^ 1]);
        __syncthreads();
    }
    shared_items[t] = value;
    __syncthreads();
    items[t] = shared_items[63 - t];
}

int main() {
    float items[64];
    for (int i = 0; i < 64; ++i) items[i] = static_cast<float>(1 + i);
    float* d_items = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    halve_with_neighbour<<<1, 64>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
