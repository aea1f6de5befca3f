// Pinned memory is freed with cudaFree.
#include <cuda_runtime.h>

__global__ void set_two(int* data) { data[threadIdx.x] = 2; }

int main() {
    int* h_data = nullptr;
    cudaMallocHost(&h_data, 32 * sizeof(int));
    set_two<<<1, 32>>>(h_data);
    cudaDeviceSynchronize();
    cudaFree(h_data);
    cudaFreeHost(h_data);
    return 0;
}
