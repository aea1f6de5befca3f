// Two buffers, and one barrier per round: what is read was written a round before.
#include <cuda_runtime.h>

__global__ void shift_eight(int* data) {
    __shared__ int buffer[2][64];
    const int t = static_cast<int>(threadIdx.x);
    buffer[0][t] = data[t];
    for (int round = 0; round < 8; ++round) {
        __syncthreads();
        buffer[(round + 1) % 2][t] = buffer[round % 2][(t + 1) % 64];
    }
    data[t] = buffer[0][t];
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMemset(d_data, 0, 64 * sizeof(int));
    shift_eight<<<1, 64>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
