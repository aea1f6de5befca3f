// Each round queues the children of its nodes, but the counter of places is never set back.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

__global__ void queue_children(const int* queue, int count, int* next, int* next_count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int node = queue[i];
    for (int child = 2 * node + 1; child <= 2 * node + 2; ++child) {
        const int place = atomicAdd(next_count, 1);
        next[place] = child;
    }
}

int main() {
    constexpr int kRoom = 256;
    int *queue, *next, *next_count, count = 1;
    cudaMalloc(&queue, kRoom * sizeof(int));
    cudaMalloc(&next, kRoom * sizeof(int));
    cudaMalloc(&next_count, sizeof(int));
    cudaMemset(queue, 0, sizeof(int));
    cudaMemset(next_count, 0, sizeof(int));
    for (int round = 0; round < 3; ++round) {
        queue_children<<<(count + 31) / 32, 32>>>(queue, count, next, next_count);
        cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost);
        std::swap(queue, next);
    }
    std::printf("%d\n", count);
    cudaFree(queue);
    cudaFree(next);
    cudaFree(next_count);
    return 0;
}
