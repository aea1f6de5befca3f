// cudaMalloc gets the number of items instead of bytes.
#include <cuda_runtime.h>

__global__ void count_kernel(int* numbers, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) numbers[i] = i;
}

int main() {
    const int n = 256;
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, n);
    count_kernel<<<1, 256>>>(d_numbers, n);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
