// Nodes are reached level by level, in one array of marks that the same launch reads and sets.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void reach_children(int* marks, int* depth, int nodes, int level) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || marks[node] == 0) return;
    marks[node] = 0;
    depth[node] = level;
    if (2 * node + 1 < nodes) marks[2 * node + 1] = 1;
}

int main() {
    constexpr int kNodes = 255;
    int *marks, *depth, last = 0, one = 1;
    cudaMalloc(&marks, kNodes * sizeof(int));
    cudaMalloc(&depth, kNodes * sizeof(int));
    cudaMemset(marks, 0, kNodes * sizeof(int));
    cudaMemset(depth, 0, kNodes * sizeof(int));
    cudaMemcpy(marks, &one, sizeof one, cudaMemcpyHostToDevice);
    for (int level = 0; level < 8; ++level) reach_children<<<8, 32>>>(marks, depth, kNodes, level);
    cudaMemcpy(&last, depth + 127, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last);
    cudaFree(marks);
    cudaFree(depth);
    return 0;
}
