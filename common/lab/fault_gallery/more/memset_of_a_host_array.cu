// cudaMemset is given the host's array, not the one of the device: the sums begin anywhere.
#include <cuda_runtime.h>

__global__ void count_ends(const int2* edges, int* degrees) {
    atomicAdd(&degrees[edges[threadIdx.x].x], 1);
    atomicAdd(&degrees[edges[threadIdx.x].y], 1);
}

int main() {
    int2 edges[64];
    int degrees[32];
    for (int e = 0; e < 64; ++e) edges[e] = make_int2(e % 32, e / 2);
    int2* d_edges = nullptr;
    int* d_degrees = nullptr;
    cudaMalloc(&d_edges, sizeof edges);
    cudaMalloc(&d_degrees, sizeof degrees);
    cudaMemcpy(d_edges, edges, sizeof edges, cudaMemcpyHostToDevice);
    cudaMemset(degrees, 0, sizeof degrees);
    count_ends<<<1, 64>>>(d_edges, d_degrees);
    cudaMemcpy(degrees, d_degrees, sizeof degrees, cudaMemcpyDeviceToHost);
    cudaFree(d_edges);
    cudaFree(d_degrees);
    return 0;
}
