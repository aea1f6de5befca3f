// A function with a barrier is called in a loop that some threads leave one round earlier.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int largest_of_block(int value) {
    __shared__ int largest[64];
    largest[threadIdx.x] = value;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + half]);
        __syncthreads();
    }
    const int all = largest[0];
    __syncthreads();
    return all;
}

__global__ void largest_of_row(const int* table, int rows, int columns, int* largest) {
    if (blockIdx.x >= rows) return;
    int best = 0;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        best = max(best, largest_of_block(table[blockIdx.x * columns + column]));
    }
    if (threadIdx.x == 0) largest[blockIdx.x] = best;
}

int main() {
    constexpr int kRows = 2, kColumns = 100;
    int items[kRows * kColumns], best[kRows] = {};
    for (int i = 0; i < kRows * kColumns; ++i) items[i] = i * 37 % 1000;
    int *table, *largest;
    cudaMalloc(&table, sizeof(items));
    cudaMalloc(&largest, sizeof(best));
    cudaMemcpy(table, items, sizeof(items), cudaMemcpyHostToDevice);
    largest_of_row<<<kRows, 64>>>(table, kRows, kColumns, largest);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(best, largest, sizeof(best), cudaMemcpyDeviceToHost);
    std::printf("the largest is %d\n", best[0]);
    cudaFree(table);
    cudaFree(largest);
    return 0;
}
