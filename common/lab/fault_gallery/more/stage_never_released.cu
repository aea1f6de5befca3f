// No stage of the pipeline is released: the third round waits forever for a free one.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cuda/pipeline>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void largest_of_tiles(const int* items, int* largest, int tiles) {
    __shared__ int tile[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    auto stages = cuda::make_pipeline(block, &state);
    int most = 0;
    for (int t = 0; t < tiles; ++t) {
        stages.producer_acquire();
        cuda::memcpy_async(block, tile[t % 2], items + t * 32, sizeof(tile[0]), stages);
        stages.producer_commit();
        stages.consumer_wait();
        most = max(most, tile[t % 2][31 - threadIdx.x]);
    }
    largest[threadIdx.x] = most;
}

int main() {
    constexpr int kTiles = 4;
    int numbers[kTiles * 32], most[32] = {};
    for (int i = 0; i < kTiles * 32; ++i) numbers[i] = i;
    int *items, *largest;
    cudaMalloc(&items, sizeof(numbers));
    cudaMalloc(&largest, sizeof(most));
    cudaMemcpy(items, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    largest_of_tiles<<<1, 32>>>(items, largest, kTiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(most, largest, sizeof(most), cudaMemcpyDeviceToHost);
    std::printf("the largest of the last lane is %d\n", most[31]);
    cudaFree(items);
    cudaFree(largest);
    return 0;
}
