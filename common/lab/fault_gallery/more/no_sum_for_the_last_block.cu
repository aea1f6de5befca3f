// The number of sums is rounded down, that of the blocks is rounded up.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void count_of_block(const int* in, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

int main() {
    constexpr int kItems = 1000, kThreads = 128;
    constexpr int kBlocks = (kItems + kThreads - 1) / kThreads;
    std::vector<int> in(kItems, 1), counts(kItems / kThreads);
    int *d_in, *d_counts;
    cudaMalloc(&d_in, kItems * sizeof(int));
    cudaMalloc(&d_counts, kItems / kThreads * sizeof(int));
    cudaMemcpy(d_in, in.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    count_of_block<<<kBlocks, kThreads>>>(d_in, d_counts, kItems);
    cudaMemcpy(counts.data(), d_counts, kItems / kThreads * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_counts);
    int all = 0;
    for (int each : counts) all += each;
    if (all == kItems) std::printf("right");
    return 0;
}
