// Threads leave because of an item that another thread of the block may already have changed.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void spread(int* level_of, int n, int level) {
    const int i = threadIdx.x;
    if (i >= n || level_of[i] != level) return;
    const int next = 2 * i + 1;
    if (next < n) level_of[next] = level + 1;
}

int main() {
    constexpr int kNodes = 120;
    int *level_of, last = 0;
    cudaMalloc(&level_of, kNodes * sizeof(int));
    cudaMemset(level_of, 0xff, kNodes * sizeof(int));
    cudaMemset(level_of, 0, sizeof(int));
    for (int level = 0; level < 7; ++level) spread<<<1, 128>>>(level_of, kNodes, level);
    cudaMemcpy(&last, level_of + 63, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last);
    cudaFree(level_of);
    return 0;
}
