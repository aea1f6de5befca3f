// Copies the first of four planes of bytes, and a quarter of an array, to the host
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kPlanes = 4;

__global__ void planes_of(const unsigned char* pixels, unsigned char* planes, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    for (int p = 0; p < kPlanes; ++p) planes[p * n + i] = pixels[kPlanes * i + p];
}

__global__ void squares_of(int* squares) {
    const int i = static_cast<int>(threadIdx.x);
    squares[i] = i * i;
}

int main() {
    const int n = 200;
    std::vector<unsigned char> pixels(kPlanes * n, 7), red(n);
    unsigned char *d_pixels = nullptr, *d_planes = nullptr;
    cudaMalloc(&d_pixels, pixels.size());
    cudaMalloc(&d_planes, pixels.size());
    cudaMemcpy(d_pixels, pixels.data(), pixels.size(), cudaMemcpyHostToDevice);
    planes_of<<<2, 128>>>(d_pixels, d_planes, n);
    cudaMemcpy(red.data(), d_planes, n, cudaMemcpyDeviceToHost);

    int quarter[16];
    int* d_squares = nullptr;
    cudaMalloc(&d_squares, 64 * sizeof(int));
    squares_of<<<1, 64>>>(d_squares);
    cudaMemcpy(quarter, d_squares, sizeof quarter, cudaMemcpyDeviceToHost);
    const std::size_t bytes = 16 * sizeof(int);
    cudaMemcpy(quarter, d_squares, bytes, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", red[n - 1], quarter[15]);
    cudaFree(d_squares);
    cudaFree(d_planes);
    cudaFree(d_pixels);
    return 0;
}
