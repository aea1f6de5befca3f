// Lanes that are done leave the loop by its condition, and the others vote with all 32.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void shrink_to_limit(int* values, int limit) {
    int value = values[threadIdx.x];
    while (value > limit) {
        value /= 2;
        if (__all_sync(0xffffffff, value <= limit)) break;
    }
    values[threadIdx.x] = value;
}

int main() {
    int numbers[64];
    for (int i = 0; i < 64; ++i) numbers[i] = i * i;
    int* values;
    cudaMalloc(&values, sizeof(numbers));
    cudaMemcpy(values, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    shrink_to_limit<<<2, 32>>>(values, 9);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(numbers, values, sizeof(numbers), cudaMemcpyDeviceToHost);
    std::printf("the last is %d\n", numbers[63]);
    cudaFree(values);
    return 0;
}
