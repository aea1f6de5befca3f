// Each block ends its loop when its own items no longer change, and the others wait for it.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void halve_until_small(float* items, int rounds) {
    __shared__ int is_large;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) is_large = 0;
        __syncthreads();
        items[i] *= 0.5f;
        if (items[i] > 1.0f) atomicOr(&is_large, 1);
        __syncthreads();
        if (is_large == 0) break;
        cg::this_grid().sync();
    }
}

int main() {
    float items[128];
    for (int i = 0; i < 128; ++i) items[i] = static_cast<float>(i + 1);
    float* d_items = nullptr;
    int rounds = 20;
    cudaMalloc(&d_items, sizeof items);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    void* arguments[] = {&d_items, &rounds};
    cudaLaunchCooperativeKernel(halve_until_small, dim3(4), dim3(32), arguments, 0, nullptr);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
