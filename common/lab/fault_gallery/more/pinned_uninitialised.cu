// Half the pinned memory is filled, but all of it is read.
#include <cuda_runtime.h>

__global__ void copy_pinned(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
    int* from = nullptr;
    int* d_to = nullptr;
    cudaMallocHost(&from, 64 * sizeof(int));
    cudaMalloc(&d_to, 64 * sizeof(int));
    for (int i = 0; i < 32; ++i) from[i] = i;
    copy_pinned<<<1, 64>>>(from, d_to);
    cudaDeviceSynchronize();
    cudaFreeHost(from);
    cudaFree(d_to);
    return 0;
}
