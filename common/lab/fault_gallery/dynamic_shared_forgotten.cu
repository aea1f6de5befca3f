// The kernel uses dynamic shared memory, but the launch requests none.
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* from, float* to) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();  // the tile is complete
    to[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    float *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 8 * sizeof(float));
    cudaMalloc(&d_to, 8 * sizeof(float));
    cudaMemset(d_from, 0, 8 * sizeof(float));
    copy_kernel<<<1, 8>>>(d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
}
