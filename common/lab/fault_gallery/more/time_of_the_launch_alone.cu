// The clock is read again before the kernel has ended.
#include <cuda_runtime.h>

#include <chrono>

__global__ void cool(float* heat) {
    for (int step = 0; step < 50; ++step) heat[threadIdx.x] *= 0.99f;
}

int main() {
    float* d_heat = nullptr;
    cudaMalloc(&d_heat, 64 * sizeof(float));
    cudaMemset(d_heat, 0, 64 * sizeof(float));
    const auto begin = std::chrono::steady_clock::now();
    cool<<<1, 64>>>(d_heat);
    const auto end = std::chrono::steady_clock::now();
    const bool is_measured = end - begin > std::chrono::seconds(0);
    cudaDeviceSynchronize();
    cudaFree(d_heat);
    return is_measured ? 0 : 1;
}
