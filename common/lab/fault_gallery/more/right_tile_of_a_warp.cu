// Cooperative groups: tiles of 8 threads sum and exchange through shared memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out) {
    __shared__ int items[64];
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    items[threadIdx.x] = in[threadIdx.x];
    tile.sync();
    int sum = items[threadIdx.x ^ 7];
    for (int step = 4; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) out[threadIdx.x / 8] = sum;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 8 * sizeof(int));
    cudaMemset(d_out, 0, 8 * sizeof(int));
    tile_sums<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
