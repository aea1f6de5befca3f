// The host reads managed memory that it has freed.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_freed(int* numbers) { numbers[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int* numbers = nullptr;
    cudaMallocManaged(&numbers, 32 * sizeof(int));
    count_freed<<<1, 32>>>(numbers);
    cudaDeviceSynchronize();
    cudaFree(numbers);
    if (numbers[31] == 31) std::puts("the last one is 31");
    return 0;
}
