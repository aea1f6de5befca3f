// Every block reads what the next block has just written, without grid.sync().
#include <cuda_runtime.h>

__global__ void rotate_blocks(int* data, int* out) {
    data[blockIdx.x] = static_cast<int>(blockIdx.x);
    __threadfence();
    out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}

int main() {
    int* d_data = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_data, 4 * sizeof(int));
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_data, 0, 4 * sizeof(int));
    rotate_blocks<<<4, 1>>>(d_data, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    cudaFree(d_out);
    return 0;
}
