// A test and a store of the smallest cost: between the two another thread may store a smaller one.
#include <cuda_runtime.h>

__global__ void relax_nodes(const int* node, const int* cost, int edges, int* least) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= edges) return;
    const int known = least[node[e]];
    if (cost[e] < known) {
        least[node[e]] = cost[e];
    }
}

int main() {
    constexpr int kEdges = 512, kNodes = 8;
    int h_node[kEdges], h_cost[kEdges], h_least[kNodes];
    for (int i = 0; i < kEdges; ++i) {
        h_node[i] = i % kNodes;
        h_cost[i] = 2000 - i * 641 % 1543;
    }
    for (int& each : h_least) each = 1 << 30;
    int *d_node = nullptr, *d_cost = nullptr, *d_least = nullptr;
    cudaMalloc(&d_node, sizeof h_node);
    cudaMalloc(&d_cost, sizeof h_cost);
    cudaMalloc(&d_least, sizeof h_least);
    cudaMemcpy(d_node, h_node, sizeof h_node, cudaMemcpyHostToDevice);
    cudaMemcpy(d_cost, h_cost, sizeof h_cost, cudaMemcpyHostToDevice);
    cudaMemcpy(d_least, h_least, sizeof h_least, cudaMemcpyHostToDevice);
    relax_nodes<<<4, 128>>>(d_node, d_cost, kEdges, d_least);
    cudaMemcpy(h_least, d_least, sizeof h_least, cudaMemcpyDeviceToHost);
    cudaFree(d_node);
    cudaFree(d_cost);
    cudaFree(d_least);
    return 0;
}
