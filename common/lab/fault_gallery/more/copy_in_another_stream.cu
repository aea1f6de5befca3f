// The result is copied in a different stream from the kernel's.
#include <cuda_runtime.h>

__global__ void squares(int* data) { data[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
    int* d_data = nullptr;
    int* h_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMallocHost(&h_data, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    squares<<<1, 64, 0, first>>>(d_data);
    cudaMemcpyAsync(h_data, d_data, 64 * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFreeHost(h_data);
    cudaFree(d_data);
    return 0;
}
