// Pinned memory that is never freed: only cudaFreeHost frees it.
#include <cuda_runtime.h>

__global__ void set_three(int* data) { data[threadIdx.x] = 3; }

int main() {
    int* h_data = nullptr;
    cudaMallocHost(&h_data, 32 * sizeof(int));
    set_three<<<1, 32>>>(h_data);
    cudaDeviceSynchronize();
    return 0;
}
