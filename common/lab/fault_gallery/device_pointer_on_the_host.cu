// The host reads the result where it is: in device memory.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void answer_kernel(int* result) { *result = 42; }

int main() {
    int* d_result = nullptr;
    cudaMalloc(&d_result, sizeof(int));
    answer_kernel<<<1, 1>>>(d_result);
    cudaDeviceSynchronize();
    if (*d_result != 42) std::puts("wrong");
    cudaFree(d_result);
}
