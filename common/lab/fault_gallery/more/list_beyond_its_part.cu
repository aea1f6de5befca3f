// Each thread has room for four neighbours, and counts on into the room of the next thread.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kNeighbours = 4;

__global__ void list_neighbours(const float* points, int n, int* neighbours, int* counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int found = 0;
    for (int j = 0; j < n; ++j) {
        if (j != i && fabsf(points[i] - points[j]) < 3.5f) {
            neighbours[i * kNeighbours + found++] = j;
        }
    }
    counts[i] = found;
}

int main() {
    constexpr int kPoints = 64;
    float points[kPoints];
    for (int i = 0; i < kPoints; ++i) points[i] = static_cast<float>(i);
    float* d_points;
    int *neighbours, *counts, first = 0;
    cudaMalloc(&d_points, sizeof points);
    cudaMalloc(&neighbours, (kPoints + 1) * kNeighbours * sizeof(int));
    cudaMalloc(&counts, kPoints * sizeof(int));
    cudaMemcpy(d_points, points, sizeof points, cudaMemcpyHostToDevice);
    list_neighbours<<<1, 64>>>(d_points, kPoints, neighbours, counts);
    cudaMemcpy(&first, counts, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%d\n", first);
    cudaFree(d_points);
    cudaFree(neighbours);
    cudaFree(counts);
    return 0;
}
