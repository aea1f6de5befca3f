// Right: several __device__ variables lie side by side, and only one of them is copied by name.
#include <cuda_runtime.h>
#include <cstdio>

__device__ int number_of_items;
__device__ unsigned long long sum_of_items;
__device__ int largest_item;
__device__ float halves_of_items[64];

__device__ int next_place() {
    static int places = 0;
    return atomicAdd(&places, 1);
}

__global__ void note_items(int* places) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&number_of_items, 1);
    atomicAdd(&sum_of_items, static_cast<unsigned long long>(i));
    atomicMax(&largest_item, i);
    halves_of_items[i] = 0.5f * static_cast<float>(i);
    places[next_place()] = i;
}

int main() {
    int *d_places = nullptr, number = 0;
    cudaMemcpyToSymbol(number_of_items, &number, sizeof number);
    cudaMalloc(&d_places, 64 * sizeof(int));
    note_items<<<2, 32>>>(d_places);
    cudaMemcpyFromSymbol(&number, number_of_items, sizeof number);
    std::printf("%d\n", number);
    cudaFree(d_places);
    return 0;
}
