// Every thread frees the block that thread 0 has allocated for all.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void share_of_heap(int* out) {
    __shared__ int* common;
    if (threadIdx.x == 0) common = static_cast<int*>(malloc(64 * sizeof(int)));
    __syncthreads();  // common is there
    if (common == nullptr) return;
    common[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();  // all have written
    out[threadIdx.x] = common[63 - threadIdx.x];
    __syncthreads();  // all have read
    free(common);
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 64 * sizeof(int));
    share_of_heap<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
