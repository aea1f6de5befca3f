// More dynamic shared memory than a kernel gets without opting in.
#include <cuda_runtime.h>

__global__ void big_tile(int* data) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 32 * sizeof(int));
    cudaMemset(d_data, 0, 32 * sizeof(int));
    big_tile<<<1, 32, 100 * 1024>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
