// Every thread reads the limit, and the last one changes it after a __syncwarp(). That orders only
// the readers of its own warp.
#include <cuda_runtime.h>

namespace {

__global__ void change_limit(int* kept) {
    __shared__ int limit;
    if (threadIdx.x == 0) limit = 1;
    __syncthreads();
    kept[threadIdx.x] = limit;
    __syncwarp();
    if (threadIdx.x == 127) limit = 9;
}

}  // namespace

int main() {
    int* d_kept = nullptr;
    cudaMalloc(&d_kept, 128 * sizeof(int));
    change_limit<<<1, 128>>>(d_kept);
    cudaDeviceSynchronize();
    cudaFree(d_kept);
    return 0;
}
