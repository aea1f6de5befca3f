// A helper with a barrier is called twice: the second call writes what others still read.
#include <cuda_runtime.h>

__device__ int from_the_left(int* buffer, int value) {
    buffer[threadIdx.x] = value;
    __syncthreads();  // all values are there
    return buffer[(threadIdx.x + 63) % 64];
}

__global__ void shift_by_two(int* data) {
    __shared__ int buffer[64];
    const int once = from_the_left(buffer, data[threadIdx.x]);
    data[threadIdx.x] = from_the_left(buffer, once);
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMemset(d_data, 0, 64 * sizeof(int));
    int h_data[64];
    for (int i = 0; i < 64; ++i) h_data[i] = i;
    cudaMemcpy(d_data, h_data, sizeof h_data, cudaMemcpyHostToDevice);
    shift_by_two<<<1, 64>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
