// The index takes the number of rows for the length of a row: threads write items of others.
#include <cuda_runtime.h>

#define CELL(x, y) ((y)*ny + (x))

__global__ void double_cells(const float* in, float* out, int nx, int ny) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    out[CELL(x, y)] = 2 * in[CELL(x, y)];
}

int main() {
    const int nx = 20, ny = 12, n = nx * ny;
    float cells[n] = {};
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, cells, n * sizeof(float), cudaMemcpyHostToDevice);
    double_cells<<<dim3(3, 2), dim3(8, 8)>>>(d_in, d_out, nx, ny);
    cudaMemcpy(cells, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (const float each : cells) sum += each;
    cudaFree(d_in);
    cudaFree(d_out);
    if (sum != 0) return 1;
    return 0;
}
