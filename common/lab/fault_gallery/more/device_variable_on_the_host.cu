// The host reads a __device__ variable by its name, and so its own variable of that name.
#include <cuda_runtime.h>
#include <cstdio>

__device__ int number_of_hits;

__global__ void count_hits(const int* items) {
    if (items[threadIdx.x] > 100) atomicAdd(&number_of_hits, 1);
}

int main() {
    int *d_items = nullptr, items[64];
    for (int i = 0; i < 64; ++i) items[i] = 3 * i;
    cudaMalloc(&d_items, sizeof items);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    count_hits<<<1, 64>>>(d_items);
    cudaDeviceSynchronize();
    std::printf("%d\n", number_of_hits);
    cudaFree(d_items);
    return 0;
}
