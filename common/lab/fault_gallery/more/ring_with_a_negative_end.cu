// Items of the second ring move down: the place of the first ones, -40 % n, is in the first ring.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

__global__ void move_down(const float* rings, float* moved, int n, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, ring = blockIdx.y;
    if (i >= n) return;
    const int place = (i - ring * step) % n;
    moved[ring * n + place] = rings[ring * n + i];
}

int main() {
    constexpr int kItems = 96;
    float *rings, *moved, last = 0, first[2 * kItems];
    for (int i = 0; i < 2 * kItems; ++i) first[i] = static_cast<float>(i);
    cudaMalloc(&rings, sizeof first);
    cudaMalloc(&moved, sizeof first);
    cudaMemcpy(rings, first, sizeof first, cudaMemcpyHostToDevice);
    for (int round = 0; round < 2; ++round) {
        move_down<<<dim3(3, 2), 32>>>(rings, moved, kItems, 40);
        std::swap(rings, moved);
    }
    cudaMemcpy(&last, rings, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last >= 0);
    cudaFree(rings);
    cudaFree(moved);
    return 0;
}
