// The last block reads past its part of the workspace, into the part where others store.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTileOfBodies = 64;

__global__ void pull_to_centre(const float2* places, float2* speeds, int bodies) {
    __shared__ float2 tile[kTileOfBodies];
    const int body = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = places[body];
    __syncthreads();
    float2 sum = {0.0f, 0.0f};
    for (const float2 each : tile) {
        sum.x += each.x;
        sum.y += each.y;
    }
    if (body < bodies) speeds[body] = sum;
}

int main() {
    constexpr int kBodies = 200;
    float2* workspace;
    cudaMalloc(&workspace, 2 * kBodies * sizeof(float2));
    cudaMemset(workspace, 0, 2 * kBodies * sizeof(float2));
    pull_to_centre<<<(kBodies + kTileOfBodies - 1) / kTileOfBodies, kTileOfBodies>>>(
        workspace, workspace + kBodies, kBodies);
    float2 speed;
    cudaMemcpy(&speed, workspace + kBodies, sizeof speed, cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", speed.x, speed.y);
    cudaFree(workspace);
    return 0;
}
