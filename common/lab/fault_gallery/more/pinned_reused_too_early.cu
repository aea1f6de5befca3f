// The host refills pinned memory that is still being copied from.
#include <cuda_runtime.h>

__global__ void halves(int* data) { data[threadIdx.x] /= 2; }

int main() {
    int* d_data = nullptr;
    int* h_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMallocHost(&h_data, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) h_data[i] = i;
    cudaMemcpyAsync(d_data, h_data, 64 * sizeof(int), cudaMemcpyHostToDevice);
    for (int i = 0; i < 64; ++i) h_data[i] = 0;
    halves<<<1, 64>>>(d_data);
    cudaDeviceSynchronize();
    cudaFreeHost(h_data);
    cudaFree(d_data);
    return 0;
}
