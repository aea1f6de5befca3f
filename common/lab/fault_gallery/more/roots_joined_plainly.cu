// A root is found, and then joined to another one: in between another thread may have joined it.
#include <cuda_runtime.h>

__global__ void unite(const int2* edges, int* parent, int count) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= count) return;
    int a = edges[e].x, b = edges[e].y;
    while (parent[a] != a) a = parent[a];
    while (parent[b] != b) b = parent[b];
    if (a < b) parent[b] = a;
}

int main() {
    constexpr int kEdges = 40, kNodes = 60;
    int2 h_edges[kEdges];
    int h_parent[kNodes];
    for (int i = 0; i < kEdges; ++i) h_edges[i] = make_int2(i, (i * 7 + 3) % kNodes);
    for (int i = 0; i < kNodes; ++i) h_parent[i] = i;
    int2* d_edges = nullptr;
    int* d_parent = nullptr;
    cudaMalloc(&d_edges, sizeof h_edges);
    cudaMalloc(&d_parent, sizeof h_parent);
    cudaMemcpy(d_edges, h_edges, sizeof h_edges, cudaMemcpyHostToDevice);
    cudaMemcpy(d_parent, h_parent, sizeof h_parent, cudaMemcpyHostToDevice);
    unite<<<2, 32>>>(d_edges, d_parent, kEdges);
    cudaDeviceSynchronize();
    cudaFree(d_edges);
    cudaFree(d_parent);
    return 0;
}
