// An event makes the second stream wait for the first.
#include <cuda_runtime.h>

__global__ void write_ones(int* data) { data[threadIdx.x] = 1; }

__global__ void times_three(int* data) { data[threadIdx.x] *= 3; }

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t done;
    cudaEventCreate(&done);
    write_ones<<<1, 64, 0, first>>>(d_data);
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
    times_three<<<1, 64, 0, second>>>(d_data);
    int h_data[64];
    cudaMemcpy(h_data, d_data, sizeof h_data, cudaMemcpyDeviceToHost);
    cudaEventDestroy(done);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(d_data);
    return 0;
}
