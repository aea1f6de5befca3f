// Right: the host requests a larger heap for kernels, and each pointer is tested.
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void sum_of_items_kernel(int* sums) {
    int* const own = static_cast<int*>(malloc(40000));
    if (own == nullptr) return;
    own[0] = static_cast<int>(threadIdx.x);
    sums[threadIdx.x] = own[0];
    free(own);
}

int main() {
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    int* d_sums = nullptr;
    cudaMalloc(&d_sums, 256 * sizeof(int));
    sum_of_items_kernel<<<1, 256>>>(d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    return 0;
}
