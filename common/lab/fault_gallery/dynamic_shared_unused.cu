// The launch requests dynamic shared memory, but the kernel uses a static array instead.
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* from, float* to) {
    __shared__ float tile[64];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();  // the tile is complete
    to[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    float *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 64 * sizeof(float));
    cudaMalloc(&d_to, 64 * sizeof(float));
    cudaMemset(d_from, 0, 64 * sizeof(float));
    copy_kernel<<<1, 64, 64 * sizeof(float)>>>(d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
}
