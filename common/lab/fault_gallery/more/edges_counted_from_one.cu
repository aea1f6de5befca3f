// The ends of the edges are numbers from 1: the last one is beyond the array that they index.
#include <cuda_runtime.h>

struct RoadOfTwoTowns {
    int from, to;
};

__global__ void heights_at_ends(const RoadOfTwoTowns* roads, const float* height, float* at_end) {
    const int i = threadIdx.x;
    at_end[i] = height[roads[i].to];
}

int main() {
    constexpr int kTowns = 16;
    RoadOfTwoTowns* roads;
    float *height, *at_end;
    cudaMallocManaged(&roads, kTowns * sizeof(RoadOfTwoTowns));
    cudaMallocManaged(&height, kTowns * sizeof(float));
    cudaMalloc(&at_end, kTowns * sizeof(float));
    for (int i = 0; i < kTowns; ++i) roads[i] = {i, i + 1};
    for (int i = 0; i < kTowns; ++i) height[i] = static_cast<float>(i);
    heights_at_ends<<<1, kTowns>>>(roads, height, at_end);
    cudaDeviceSynchronize();
    cudaFree(roads);
    cudaFree(height);
    cudaFree(at_end);
    return 0;
}
