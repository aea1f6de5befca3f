// Two buffers, but no barrier between filling one and reading it.
#include <cuda_runtime.h>

__global__ void shift_twice(int* data) {
    __shared__ int buffer[2][64];
    const int t = static_cast<int>(threadIdx.x);
    buffer[0][t] = data[t];
    __syncthreads();
    buffer[1][t] = buffer[0][(t + 1) % 64];
    data[t] = buffer[1][(t + 1) % 64];
}

int main() {
    int* d_data = nullptr;
    int h_data[64];
    for (int i = 0; i < 64; ++i) h_data[i] = i;
    cudaMalloc(&d_data, sizeof h_data);
    cudaMemcpy(d_data, h_data, sizeof h_data, cudaMemcpyHostToDevice);
    shift_twice<<<1, 64>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
