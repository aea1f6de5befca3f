// The group is made of all threads, and only those with a large item are in the branch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void collect_large(const int* items, int* found, int* count) {
    const int i = threadIdx.x;
    const cg::coalesced_group group = cg::coalesced_threads();
    if (items[i] > 20) {
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
        first = group.shfl(first, 0);
        found[first + group.thread_rank()] = items[i];
    }
}

int main() {
    int items[32];
    for (int i = 0; i < 32; ++i) items[i] = i;
    int *d_items = nullptr, *d_found = nullptr, *d_count = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_found, sizeof items);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));
    collect_large<<<1, 32>>>(d_items, d_found, d_count);
    cudaDeviceSynchronize();
    cudaFree(d_count);
    cudaFree(d_found);
    cudaFree(d_items);
    return 0;
}
