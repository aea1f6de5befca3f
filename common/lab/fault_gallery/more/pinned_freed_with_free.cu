// Memory from cudaMallocHost is given to the C library's free()
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void negative_number(int* items) { items[threadIdx.x] = -static_cast<int>(threadIdx.x); }

int main() {
    int *items = nullptr, *d_items = nullptr;
    cudaMallocHost(&items, 64 * sizeof(int));
    cudaMalloc(&d_items, 64 * sizeof(int));
    negative_number<<<1, 64>>>(d_items);
    cudaMemcpy(items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    std::free(items);
    return 0;
}
