// The first step of a sum is as large as the tile: each thread adds its own value.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void sums_of_tiles(int* sums) {
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    int sum = 1;
    for (unsigned step = tile.size(); step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) sums[threadIdx.x / 16] = sum;
}

int main() {
    int* d_sums = nullptr;
    cudaMalloc(&d_sums, 4 * sizeof(int));
    sums_of_tiles<<<1, 64>>>(d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    return 0;
}
