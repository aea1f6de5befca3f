// The tile has 32 rows of 8 items, and is used as 8 rows of 32.
#include <cuda_runtime.h>

#define COLUMNS 32
#define ROWS 8

__global__ void mirror_tile(const float* in, float* out) {
    __shared__ float tile[COLUMNS][ROWS];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * COLUMNS + x];
    __syncthreads();
    out[y * COLUMNS + x] = tile[y][COLUMNS - 1 - x];
}

int main() {
    const std::size_t bytes = COLUMNS * ROWS * sizeof(float);
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemset(d_in, 0, bytes);
    mirror_tile<<<1, dim3(COLUMNS, ROWS)>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
