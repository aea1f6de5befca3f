// A launch that is refused, a query for its error, and the kernel that does not run.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill_kernel(int* items) { items[threadIdx.x] = 1; }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    fill_kernel<<<1, 2048>>>(d_items);
    const cudaError_t error = cudaGetLastError();
    std::printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    fill_kernel<<<1, 64>>>(d_items);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_items);
}
