// Tiled matrix product: no barrier before the tiles are filled again.
#include <cuda_runtime.h>

constexpr int kMatmulTile = 8;

__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kMatmulTile][kMatmulTile], tile_b[kMatmulTile][kMatmulTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kMatmulTile + y, column = blockIdx.x * kMatmulTile + x;
    float sum = 0.0f;
    for (int t = 0; t < n; t += kMatmulTile) {
        tile_a[y][x] = a[row * n + t + x];
        tile_b[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < kMatmulTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    }
    c[row * n + column] = sum;
}

int main() {
    constexpr int n = 16;
    float* d_a = nullptr;
    float* d_b = nullptr;
    float* d_c = nullptr;
    cudaMalloc(&d_a, n * n * sizeof(float));
    cudaMalloc(&d_b, n * n * sizeof(float));
    cudaMalloc(&d_c, n * n * sizeof(float));
    float h_ones[n * n];
    for (int i = 0; i < n * n; ++i) h_ones[i] = static_cast<float>(i);
    cudaMemcpy(d_a, h_ones, sizeof h_ones, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_ones, sizeof h_ones, cudaMemcpyHostToDevice);
    tiled_matmul<<<dim3(2, 2), dim3(8, 8)>>>(d_a, d_b, d_c, n);
    cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return 0;
}
