// Tiled matrix product with both barriers, and a size that is not a multiple of the tile.
#include <cuda_runtime.h>

constexpr int kRightTile = 8;

__global__ void guarded_matmul(const int* a, const int* b, int* c, int n) {
    __shared__ int tile_a[kRightTile][kRightTile + 1], tile_b[kRightTile][kRightTile + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kRightTile + y, column = blockIdx.x * kRightTile + x;
    int sum = 0;
    for (int t = 0; t < n; t += kRightTile) {
        tile_a[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0;
        tile_b[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < kRightTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

int main() {
    int* d_a = nullptr;
    cudaMalloc(&d_a, 169 * sizeof(int));
    cudaMemset(d_a, 0, 169 * sizeof(int));
    int* d_b = nullptr;
    cudaMalloc(&d_b, 169 * sizeof(int));
    cudaMemset(d_b, 0, 169 * sizeof(int));
    int* d_c = nullptr;
    cudaMalloc(&d_c, 169 * sizeof(int));
    cudaMemset(d_c, 0, 169 * sizeof(int));
    guarded_matmul<<<dim3(2, 2), dim3(8, 8)>>>(d_a, d_b, d_c, 13);
    cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return 0;
}
