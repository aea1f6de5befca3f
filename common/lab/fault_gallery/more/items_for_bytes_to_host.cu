// A copy to the host of n bytes instead of n items: three quarters are not copied
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void halve(const float* items, float* halves, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) halves[i] = items[i] / 2;
}

int main() {
    const int n = 300;
    std::vector<float> items(n, 3.0f), halves(n);
    float *d_items = nullptr, *d_halves = nullptr;
    cudaMalloc(&d_items, n * sizeof(float));
    cudaMalloc(&d_halves, n * sizeof(float));
    cudaMemcpy(d_items, items.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    halve<<<3, 128>>>(d_items, d_halves, n);
    cudaMemcpy(halves.data(), d_halves, n, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (const float half : halves) sum += half;
    std::printf("%g\n", sum);
    cudaFree(d_halves);
    cudaFree(d_items);
    return 0;
}
