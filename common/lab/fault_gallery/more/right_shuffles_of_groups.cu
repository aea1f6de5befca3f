// Right: ranks of the group, and steps that begin with half of it.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void shuffle_kernel(int* numbers) {
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    int sum = 1;
    for (unsigned step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    numbers[threadIdx.x] = tile.shfl(sum, 0);
    if (threadIdx.x % 4 == 0) {
        const auto group = cooperative_groups::coalesced_threads();
        const unsigned next = (group.thread_rank() + 1) % group.size();
        numbers[threadIdx.x] = group.shfl(sum, next);
    }
}

int main() {
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, 64 * sizeof(int));
    shuffle_kernel<<<1, 64>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
