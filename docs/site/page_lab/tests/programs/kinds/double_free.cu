// Memory that is freed twice, and memory that is never freed.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
    int *first = nullptr, *second = nullptr;
    cudaMalloc(&first, 64);
    cudaMalloc(&second, 128);
    cudaFree(first);
    std::printf("%s\n", cudaGetErrorName(cudaFree(first)));
}
