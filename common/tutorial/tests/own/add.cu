// Adds its arguments on the device: one of two files, with a header in a folder of its own.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "add_kernel.cuh"
#include "sum.h"

int main(int argc, char** argv) {
    int numbers[32] = {};
    for (int i = 1; i < argc && i <= 32; ++i) numbers[i - 1] = std::atoi(argv[i]);
    int* d_numbers = nullptr;
    if (cudaMalloc(&d_numbers, sizeof numbers) != cudaSuccess) return 1;
    cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    twice_kernel<<<1, 32>>>(d_numbers);
    cudaMemcpy(numbers, d_numbers, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(d_numbers);
    std::printf("%d\n", sum(numbers, 32));
    return sum(numbers, 32) == 14 ? 7 : 0;
}
