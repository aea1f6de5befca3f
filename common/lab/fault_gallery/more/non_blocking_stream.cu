// A copy in the default stream does not wait for a stream made with cudaStreamNonBlocking.
#include <cuda_runtime.h>

__global__ void negate(int* data) { data[threadIdx.x] = -data[threadIdx.x]; }

int main() {
    int* d_data = nullptr;
    int h_data[64];
    cudaMalloc(&d_data, sizeof h_data);
    cudaMemset(d_data, 0, sizeof h_data);
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    negate<<<1, 64, 0, stream>>>(d_data);
    cudaMemcpy(h_data, d_data, sizeof h_data, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(d_data);
    return 0;
}
