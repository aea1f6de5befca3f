// The array is padded to 64 items, and the host has values for 50 of them only.
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void least_of_halves(const int* items, int* least) {
    const int t = threadIdx.x;
    least[t] = min(items[t], items[t + 32]);
}

int main() {
    constexpr int kItems = 50, kPadded = 64;
    int* const values = static_cast<int*>(malloc(kItems * sizeof(int)));
    for (int i = 0; i < kItems; ++i) values[i] = i;
    int *items, *least;
    cudaMalloc(&items, kPadded * sizeof(int));
    cudaMalloc(&least, kPadded / 2 * sizeof(int));
    cudaMemcpy(items, values, kItems * sizeof(int), cudaMemcpyHostToDevice);
    least_of_halves<<<1, kPadded / 2>>>(items, least);
    cudaDeviceSynchronize();
    cudaFree(items);
    cudaFree(least);
    free(values);
    return 0;
}
