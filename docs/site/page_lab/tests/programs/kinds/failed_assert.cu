// An assertion that fails in a kernel.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void check_kernel(const int* items) { assert(items[threadIdx.x] < 40); }

int main() {
    int host[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    int* d_items = nullptr;
    cudaMalloc(&d_items, sizeof(host));
    cudaMemcpy(d_items, host, sizeof(host), cudaMemcpyHostToDevice);
    check_kernel<<<1, 64>>>(d_items);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_items);
}
