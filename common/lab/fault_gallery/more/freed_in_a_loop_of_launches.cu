// The loop frees its input after the first round, and launches the kernel with it again.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_to_total(const int* values, int* total) {
    atomicAdd(total, values[threadIdx.x]);
}

int main() {
    int *values, *total, sum = 0;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(values, 0, 64 * sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    for (int round = 0; round < 3; ++round) {
        add_to_total<<<1, 64>>>(values, total);
        cudaDeviceSynchronize();
        if (round == 0) cudaFree(values);
    }
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("%d\n", sum);
    cudaFree(total);
    return 0;
}
