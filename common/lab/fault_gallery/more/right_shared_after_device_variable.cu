// Two __device__ variables, and shared memory that the file declares in the next line.
#include <cuda_runtime.h>

#include <cstdio>

__device__ bool is_done;
__device__ int launches_done;
extern __shared__ int row_part[];

__global__ void add_row(const int* row, int* sum) {
    row_part[threadIdx.x] = row[threadIdx.x];
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned i = 0; i < blockDim.x; ++i) *sum += row_part[i];
    ++launches_done;
    is_done = true;
}

int main() {
    int* row = nullptr;
    cudaMalloc(&row, 33 * sizeof(int));
    cudaMemset(row, 0, 33 * sizeof(int));
    add_row<<<1, 32, 32 * sizeof(int)>>>(row, row + 32);
    cudaDeviceSynchronize();
    bool done = false;
    cudaMemcpyFromSymbol(&done, is_done, sizeof done);
    std::printf("done: %d\n", done);
    cudaFree(row);
    return 0;
}
