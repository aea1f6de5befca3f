// The first of two kernels is not launched: the second one reads weights that nothing has stored.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void fill_weights(float* weights, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) weights[i] = 1.0f / static_cast<float>(n);
}

__global__ void weigh_rows(float* rows, const float* weights, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) rows[i] = 2.0f * weights[i];
}

int main() {
    constexpr int kItems = 64;
    float *rows = nullptr, *weights = nullptr;
    cudaMalloc(&rows, kItems * sizeof(float));
    cudaMalloc(&weights, kItems * sizeof(float));
    weigh_rows<<<1, kItems>>>(rows, weights, kItems);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(rows);
    cudaFree(weights);
    return 0;
}
