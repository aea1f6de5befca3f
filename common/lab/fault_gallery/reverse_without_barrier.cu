// Reverses 64 numbers through shared memory, and reads before all of them are there.
#include <cuda_runtime.h>

__global__ void reverse_kernel(int* numbers) {
    __shared__ int tile[64];
    const unsigned t = threadIdx.x;
    tile[t] = numbers[t];
    numbers[t] = tile[63 - t];
}

int main() {
    int numbers[64];
    for (int i = 0; i < 64; ++i) numbers[i] = i;
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, sizeof(numbers));
    cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    reverse_kernel<<<1, 64>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
}
