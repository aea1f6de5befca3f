// Points of three floats each, which the kernel takes for float4.
#include <cuda_runtime.h>

__global__ void squared_lengths(const float4* points, float* lengths, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const float4 point = points[i];
    lengths[i] = point.x * point.x + point.y * point.y + point.z * point.z;
}

int main() {
    constexpr int kPoints = 64;
    float* d_points = nullptr;
    float* d_lengths = nullptr;
    cudaMalloc(&d_points, 3 * kPoints * sizeof(float));
    cudaMalloc(&d_lengths, kPoints * sizeof(float));
    cudaMemset(d_points, 0, 3 * kPoints * sizeof(float));
    squared_lengths<<<1, kPoints>>>(reinterpret_cast<const float4*>(d_points), d_lengths, kPoints);
    cudaDeviceSynchronize();
    cudaFree(d_points);
    cudaFree(d_lengths);
    return 0;
}
