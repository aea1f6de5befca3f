// A tile with a frame on all sides has room for it on one side only, in each of its rows.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kFrameTile = 8, kFrame = 2;

__global__ void blur_framed_tile(const float* in, float* out, int width) {
    __shared__ float tile[kFrameTile + 2 * kFrame][kFrameTile + kFrame];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int row = y; row < kFrameTile + 2 * kFrame; row += kFrameTile) {
        for (int column = x; column < kFrameTile + 2 * kFrame; column += kFrameTile)
            tile[row][column] = in[row * width + column];
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j <= 2 * kFrame; ++j)
        for (int i = 0; i <= 2 * kFrame; ++i) sum += tile[y + j][x + i];
    out[y * kFrameTile + x] = sum;
}

int main() {
    constexpr int kWidth = kFrameTile + 2 * kFrame;
    float in[kWidth * kWidth], *d_in, *d_out;
    for (int i = 0; i < kWidth * kWidth; ++i) in[i] = i;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, kFrameTile * kFrameTile * sizeof(float));
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    blur_framed_tile<<<1, dim3(kFrameTile, kFrameTile)>>>(d_in, d_out, kWidth);
    std::printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
