// Column 16 of a row of 16 is column 0 of the next one.
#include <cuda_runtime.h>

__global__ void shift_columns(const int* in, int* out) {
    __shared__ int tile[16][16];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    if (threadIdx.y < 15) {
        out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1];
    }
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMalloc(&d_out, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    shift_columns<<<1, dim3(16, 16)>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
