// The table for the next kernel is copied in another stream, while this kernel may still read it.
#include <cuda_runtime.h>

__constant__ int looked_up[4];

__global__ void look_up_kernel(int* data) { data[threadIdx.x] = looked_up[threadIdx.x % 4]; }

int main() {
    int* d_data = nullptr;
    int* h_table = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMallocHost(&h_table, 4 * sizeof(int));
    for (int i = 0; i < 4; ++i) h_table[i] = i;
    cudaStream_t kernels, copies;
    cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    cudaMemcpyToSymbol(looked_up, h_table, 4 * sizeof(int));
    look_up_kernel<<<1, 64, 0, kernels>>>(d_data);
    cudaMemcpyToSymbolAsync(looked_up, h_table, 4 * sizeof(int), 0, cudaMemcpyHostToDevice, copies);
    cudaDeviceSynchronize();
    cudaStreamDestroy(kernels);
    cudaStreamDestroy(copies);
    cudaFreeHost(h_table);
    cudaFree(d_data);
    return 0;
}
