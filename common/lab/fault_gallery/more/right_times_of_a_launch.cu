// The time of a launch and that of its kernel: the second clock is read before a wait on purpose.
#include <cuda_runtime.h>

#include <chrono>

__global__ void warm(float* heat) {
    for (int step = 0; step < 50; ++step) heat[threadIdx.x] += 0.01f;
}

int main() {
    float* d_heat = nullptr;
    cudaMalloc(&d_heat, 64 * sizeof(float));
    cudaMemset(d_heat, 0, 64 * sizeof(float));
    const auto begin = std::chrono::steady_clock::now();
    warm<<<1, 64>>>(d_heat);
    const auto launched = std::chrono::steady_clock::now();
    cudaDeviceSynchronize();
    const auto end = std::chrono::steady_clock::now();
    const bool is_longer = end - begin >= launched - begin;
    cudaFree(d_heat);
    return is_longer ? 0 : 1;
}
