// In place, over four blocks: a block's barrier would not help.
#include <cuda_runtime.h>

__global__ void transpose_square(int* square, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int value = square[y * n + x];
    square[x * n + y] = value;
}

int main() {
    int h_square[16 * 16];
    for (int i = 0; i < 256; ++i) h_square[i] = i;
    int* d_square = nullptr;
    cudaMalloc(&d_square, sizeof h_square);
    cudaMemcpy(d_square, h_square, sizeof h_square, cudaMemcpyHostToDevice);
    transpose_square<<<dim3(2, 2), dim3(8, 8)>>>(d_square, 16);
    cudaDeviceSynchronize();
    cudaFree(d_square);
    return 0;
}
