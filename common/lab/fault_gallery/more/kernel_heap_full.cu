// The heap of kernels has 8 MB unless the host requests more: malloc() returns null.
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void sum_on_heap_kernel(int* sums) {
    int* const own = static_cast<int*>(malloc(65536));
    own[0] = static_cast<int>(threadIdx.x);
    sums[threadIdx.x] = own[0];
}

int main() {
    int* d_sums = nullptr;
    cudaMalloc(&d_sums, 256 * sizeof(int));
    sum_on_heap_kernel<<<1, 256>>>(d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    return 0;
}
