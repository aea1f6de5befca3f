// Each thread reads a local variable of its neighbour through a pointer.
#include <cuda_runtime.h>

__global__ void read_neighbours(int* out) {
    __shared__ int* mine[32];
    int value = static_cast<int>(threadIdx.x);
    mine[threadIdx.x] = &value;
    __syncthreads();
    out[threadIdx.x] = *mine[threadIdx.x ^ 1];
    __syncthreads();
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    read_neighbours<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
