// The host reads pinned memory before the copy into it has ended.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void thirds(int* data) { data[threadIdx.x] = threadIdx.x / 3; }

int main() {
    int* d_data = nullptr;
    int* h_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMallocHost(&h_data, 64 * sizeof(int));
    thirds<<<1, 64>>>(d_data);
    cudaMemcpyAsync(h_data, d_data, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", h_data[63]);
    cudaDeviceSynchronize();
    cudaFreeHost(h_data);
    cudaFree(d_data);
    return 0;
}
