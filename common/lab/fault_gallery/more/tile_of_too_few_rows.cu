// A block of 32 x 8 threads for a tile of 32 x 32 items, each of which stores one: 24 rows are left
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kTile = 32;

__global__ void transpose(const float* rows, float* columns, int n) {
    __shared__ float tile[kTile][kTile + 1];
    const int x = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
    tile[threadIdx.y][threadIdx.x] = rows[y * n + x];
    __syncthreads();
    const int to_x = static_cast<int>(blockIdx.y * kTile + threadIdx.x);
    const int to_y = static_cast<int>(blockIdx.x * kTile + threadIdx.y);
    columns[to_y * n + to_x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int n = 2 * kTile;
    std::vector<float> items(n * n);
    for (int i = 0; i < n * n; ++i) items[static_cast<std::size_t>(i)] = static_cast<float>(i);
    float *d_rows = nullptr, *d_columns = nullptr;
    cudaMalloc(&d_rows, items.size() * sizeof(float));
    cudaMalloc(&d_columns, items.size() * sizeof(float));
    cudaMemcpy(d_rows, items.data(), items.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_columns, 0, items.size() * sizeof(float));
    transpose<<<dim3(2, 2), dim3(kTile, 8)>>>(d_rows, d_columns, n);
    cudaMemcpy(items.data(), d_columns, items.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < n * n; ++i) {
        const float wanted = static_cast<float>(i % n * n + i / n);
        if (items[static_cast<std::size_t>(i)] == wanted) ++right;
    }
    std::printf("%d\n", right == n * n ? 1 : 0);
    cudaFree(d_columns);
    cudaFree(d_rows);
    return 0;
}
