// The host changes managed memory that a running kernel reads.
#include <cuda_runtime.h>

__global__ void copy_items(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
    int* from = nullptr;
    int* to = nullptr;
    cudaMallocManaged(&from, 64 * sizeof(int));
    cudaMallocManaged(&to, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) from[i] = i;
    copy_items<<<1, 64>>>(from, to);
    from[0] = 100;
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
    return 0;
}
