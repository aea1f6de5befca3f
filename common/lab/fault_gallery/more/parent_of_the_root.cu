// A function that calls itself goes up a tree, and past its root, whose parent is -1.
#include <cuda_runtime.h>

__device__ int sum_of_ancestors(const int* parents, int node, int steps) {
    if (steps == 0) return node;
    const int parent = parents[node];
    return node + sum_of_ancestors(parents, parent, steps - 1);
}

__global__ void ancestors(const int* parents, int* sums) {
    sums[threadIdx.x] = sum_of_ancestors(parents, threadIdx.x, threadIdx.x == 0 ? 2 : 1);
}

int main() {
    constexpr int kNodes = 32;
    int parents[kNodes];
    for (int i = 0; i < kNodes; ++i) parents[i] = (i + 1) / 2 - 1;
    int *d_parents = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_parents, sizeof parents);
    cudaMalloc(&d_sums, sizeof parents);
    cudaMemcpy(d_parents, parents, sizeof parents, cudaMemcpyHostToDevice);
    ancestors<<<1, kNodes>>>(d_parents, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_parents);
    cudaFree(d_sums);
    return 0;
}
