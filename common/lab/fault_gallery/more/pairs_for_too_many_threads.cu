// A thread for each number, but each thread does two of them.
#include <cuda_runtime.h>

__global__ void negate_pairs(int* numbers) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[2 * t] = -2 * t;
    numbers[2 * t + 1] = -2 * t - 1;
}

int main() {
    constexpr int kNumbers = 4096;
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, kNumbers * sizeof(int));
    negate_pairs<<<kNumbers / 256, 256>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
