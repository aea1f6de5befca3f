// The event that the last stream waits for is recorded in the first stream, not in the second.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void plus_one_each(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

int main() {
    cudaStream_t first, second, third;
    cudaEvent_t is_one, is_two;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaStreamCreate(&third);
    cudaEventCreate(&is_one);
    cudaEventCreate(&is_two);
    int* numbers[4];
    for (int*& each : numbers) cudaMalloc(&each, 64 * sizeof(int));
    cudaMemset(numbers[0], 0, 64 * sizeof(int));
    cudaDeviceSynchronize();
    plus_one_each<<<1, 64, 0, first>>>(numbers[0], numbers[1]);
    cudaEventRecord(is_one, first);
    cudaStreamWaitEvent(second, is_one, 0);
    plus_one_each<<<1, 64, 0, second>>>(numbers[1], numbers[2]);
    cudaEventRecord(is_two, first);
    cudaStreamWaitEvent(third, is_two, 0);
    plus_one_each<<<1, 64, 0, third>>>(numbers[2], numbers[3]);
    cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    for (int* each : numbers) cudaFree(each);
    cudaEventDestroy(is_one);
    cudaEventDestroy(is_two);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaStreamDestroy(third);
    return 0;
}
