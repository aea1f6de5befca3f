// The second launch begins with the counter of rows that the first one has left at the end.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int next_row;

__global__ void sums_of_rows(const int* table, int rows, int columns, int* sums) {
    __shared__ int row, sum;
    for (;;) {
        if (threadIdx.x == 0) {
            row = atomicAdd(&next_row, 1);
            sum = 0;
        }
        __syncthreads();
        if (row >= rows) return;
        for (int column = threadIdx.x; column < columns; column += blockDim.x)
            atomicAdd(&sum, table[row * columns + column]);
        __syncthreads();
        if (threadIdx.x == 0) sums[row] = sum;
        __syncthreads();
    }
}

int main() {
    constexpr int kRows = 6, kColumns = 50;
    int items[kRows * kColumns], sums[2][kRows];
    for (int& each : items) each = 1;
    int *table, *first, *second;
    cudaMalloc(&table, sizeof(items));
    cudaMalloc(&first, sizeof(sums[0]));
    cudaMalloc(&second, sizeof(sums[1]));
    cudaMemcpy(table, items, sizeof(items), cudaMemcpyHostToDevice);
    sums_of_rows<<<2, 32>>>(table, kRows, kColumns, first);
    sums_of_rows<<<2, 32>>>(table, kRows, kColumns / 2, second);
    cudaMemcpy(sums[0], first, sizeof(sums[0]), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums[1], second, sizeof(sums[1]), cudaMemcpyDeviceToHost);
    std::printf("the first sums are %d and %d\n", sums[0][0], sums[1][0]);
    cudaFree(table);
    cudaFree(first);
    cudaFree(second);
    return 0;
}
