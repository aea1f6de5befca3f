// The mask of a group moves by one lane from group to group, not by four.
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned mask_of_four(unsigned lane) { return 0xfu << (lane / 4); }

__global__ void largest_of_fours(const unsigned* items, unsigned* largest) {
    const unsigned mask = mask_of_four(threadIdx.x % 32);
    const unsigned most = __reduce_max_sync(mask, items[threadIdx.x]);
    if (threadIdx.x % 4 == 0) largest[threadIdx.x / 4] = most;
}

int main() {
    unsigned numbers[64], results[16] = {};
    for (unsigned i = 0; i < 64; ++i) numbers[i] = i * 5 % 64;
    unsigned *items, *largest;
    cudaMalloc(&items, sizeof(numbers));
    cudaMalloc(&largest, sizeof(results));
    cudaMemcpy(items, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    largest_of_fours<<<1, 64>>>(items, largest);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(results, largest, sizeof(results), cudaMemcpyDeviceToHost);
    std::printf("the largest of the first four is %u\n", results[0]);
    cudaFree(items);
    cudaFree(largest);
    return 0;
}
