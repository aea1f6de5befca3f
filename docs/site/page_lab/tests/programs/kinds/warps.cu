// Shuffles, votes, atomics, a two-dimensional grid, a cooperative group, printf in a kernel.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void warps_kernel(const float* items, float* sums, unsigned* votes, int width) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float mine = items[y * width + x];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
    const unsigned odd = __ballot_sync(~0u, (x + y) % 2 == 1);
    if (tile.thread_rank() == 0) {
        atomicAdd(&sums[y % 2], mine);
        atomicMax(&votes[0], odd);
        atomicCAS(&votes[1], 0u, 7u);
    }
    if (x == 0 && y == 1) printf("block %u %u: %.1f\n", blockIdx.x, blockIdx.y, mine);
}

int main() {
    constexpr int kWidth = 64, kHeight = 4;
    float host[kWidth * kHeight], sums[2];
    for (int i = 0; i < kWidth * kHeight; ++i) host[i] = i % 7;
    float *d_items, *d_sums;
    unsigned *d_votes, votes[2];
    cudaMalloc(&d_items, sizeof(host));
    cudaMalloc(&d_sums, sizeof(sums));
    cudaMalloc(&d_votes, sizeof(votes));
    cudaMemcpy(d_items, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, sizeof(sums));
    cudaMemset(d_votes, 0, sizeof(votes));
    warps_kernel<<<dim3(kWidth / 32, kHeight / 2), dim3(32, 2)>>>(d_items, d_sums, d_votes, kWidth);
    cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaMemcpy(votes, d_votes, sizeof(votes), cudaMemcpyDeviceToHost);
    std::printf("%.1f %.1f %x %u\n", sums[0], sums[1], votes[0], votes[1]);
    cudaFree(d_items);
    cudaFree(d_sums);
    cudaFree(d_votes);
}
