// One stream fills an array, another doubles it; nothing makes the second wait for the first.
#include <cuda_runtime.h>

__global__ void fill_ones(int* data) { data[threadIdx.x] = 1; }

__global__ void double_in_stream(int* data) { data[threadIdx.x] *= 2; }

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill_ones<<<1, 64, 0, first>>>(d_data);
    double_in_stream<<<1, 64, 0, second>>>(d_data);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(d_data);
    return 0;
}
