// A product of two matrices of 512 x 512 floats, tile by tile in shared memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kN = 512;
constexpr int kTile = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile];
    const int column = blockIdx.x * kTile + threadIdx.x;
    const int row = blockIdx.y * kTile + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < kN; first += kTile) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * kN + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * kN + column];
        __syncthreads();  // both tiles are complete
        for (int k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();  // both tiles have been used
    }
    c[row * kN + column] = sum;
}

int main() {
    std::vector<float> a(kN * kN), b(kN * kN), c(kN * kN);
    for (int i = 0; i < kN * kN; ++i) {
        a[i] = static_cast<float>(i % 7);
        b[i] = static_cast<float>(i % 5);
    }
    const std::size_t bytes = a.size() * sizeof(float);
    float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
    matmul_kernel<<<dim3(kN / kTile, kN / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_c);
    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    float expected = 0;
    for (int k = 0; k < kN; ++k) expected += a[3 * kN + k] * b[k * kN + 5];
    std::printf("%g, expected %g\n", c[3 * kN + 5], expected);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return c[3 * kN + 5] == expected ? 0 : 1;
}
