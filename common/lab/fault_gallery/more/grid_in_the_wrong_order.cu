// x and y of the grid are in the wrong order: three quarters of the matrix have no thread.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void index_kernel(int* out, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) out[row * columns + column] = row * columns + column;
}

int main() {
    const int rows = 16, columns = 64;
    const dim3 block(16, 16);
    std::vector<int> out(rows * columns);
    int* d_out = nullptr;
    cudaMalloc(&d_out, out.size() * sizeof(int));
    index_kernel<<<dim3(rows / 16, columns / 16), block>>>(d_out, rows, columns);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows * columns; ++i) {
        if (out[i] != i) {
            std::fputs("wrong", stderr);
            break;
        }
    }
    cudaFree(d_out);
    return 0;
}
