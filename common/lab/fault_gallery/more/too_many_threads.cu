// 2048 threads per block.
#include <cuda_runtime.h>

__global__ void set_four(int* data) { data[threadIdx.x] = 4; }

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 2048 * sizeof(int));
    set_four<<<1, 2048>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
