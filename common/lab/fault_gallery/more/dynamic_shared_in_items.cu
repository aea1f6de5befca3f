// The third number of a launch is in bytes: the memory holds only a quarter of the items.
#include <cuda_runtime.h>

__global__ void reverse_kernel(int* numbers) {
    extern __shared__ int tile[];
    const unsigned t = threadIdx.x;
    tile[t] = numbers[t];
    __syncthreads();
    numbers[t] = tile[blockDim.x - 1 - t];
}

int main() {
    const int n = 128;
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, n * sizeof(int));
    cudaMemset(d_numbers, 0, n * sizeof(int));
    reverse_kernel<<<1, n, n>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
