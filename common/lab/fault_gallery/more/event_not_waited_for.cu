// The time is requested before the kernel has ended: on a GPU the call fails, and the time stays 0.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void timed_triple(int* data) { data[threadIdx.x] *= 3; }

int main() {
    int* d_data = nullptr;
    cudaEvent_t start, stop;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMemset(d_data, 0, 64 * sizeof(int));
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    timed_triple<<<1, 64>>>(d_data);
    cudaEventRecord(stop);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, stop);
    std::printf("%g ms\n", milliseconds);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_data);
    return 0;
}
