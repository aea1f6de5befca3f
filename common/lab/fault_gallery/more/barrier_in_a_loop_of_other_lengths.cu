// Threads pass the barrier once per item, and they have different numbers of items.
#include <cuda_runtime.h>

__global__ void uneven_loop(const int* in, int* out) {
    int sum = 0;
    for (int i = 0; i < static_cast<int>(threadIdx.x % 2) + 1; ++i) {
        sum += in[threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    uneven_loop<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
