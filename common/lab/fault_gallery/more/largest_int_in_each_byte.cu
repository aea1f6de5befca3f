// cudaMemset takes only the lowest byte of INT_MAX: each distance is -1.
#include <cuda_runtime.h>

#include <climits>
#include <cstdio>
#include <vector>

__global__ void lower_distances(const int* found, int* distances, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(&distances[i], found[i]);
}

int main() {
    constexpr int kNodes = 64;
    std::vector<int> found(kNodes, 7);
    int *d_found, *d_distances;
    cudaMalloc(&d_found, kNodes * sizeof(int));
    cudaMalloc(&d_distances, kNodes * sizeof(int));
    cudaMemset(d_distances, INT_MAX, kNodes * sizeof(int));
    cudaMemcpy(d_found, found.data(), kNodes * sizeof(int), cudaMemcpyHostToDevice);
    lower_distances<<<1, kNodes>>>(d_found, d_distances, kNodes);
    cudaMemcpy(found.data(), d_distances, kNodes * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_found);
    cudaFree(d_distances);
    if (found[5] != 7) std::printf("wrong\n");
    return 0;
}
