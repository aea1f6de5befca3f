// Threads start asynchronous copies into shared memory and pass a barrier, but none of them waits
// for the copies, which may land later.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace {

__global__ void reverse(const int* from, int* to) {
    __shared__ int part[64];
    __pipeline_memcpy_async(&part[threadIdx.x], &from[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    to[threadIdx.x] = part[63 - threadIdx.x];
}

}  // namespace

int main() {
    int *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 64 * sizeof(int));
    cudaMalloc(&d_to, 64 * sizeof(int));
    cudaMemset(d_from, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
