// grid.sync() orders what all blocks do.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void rotate_by_a_block(int* data, int* out) {
    data[blockIdx.x] = static_cast<int>(blockIdx.x);
    cg::this_grid().sync();
    out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 4 * sizeof(int));
    cudaMemset(d_data, 0, 4 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    void* arguments[] = {&d_data, &d_out};
    cudaLaunchCooperativeKernel(rotate_by_a_block, dim3(4), dim3(1), arguments);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    cudaFree(d_out);
    return 0;
}
