// The tile has 8 rows of 32 items, and is used as if it had 32 rows: x and y are swapped.
#include <cuda_runtime.h>

__global__ void turn_tile(const int* in, int* out) {
    __shared__ int tile[8][32];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    tile[x][y] = in[y * 32 + x];
    __syncthreads();
    out[x * 8 + y] = tile[x][y];
}

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMalloc(&d_out, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    turn_tile<<<1, dim3(32, 8)>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
