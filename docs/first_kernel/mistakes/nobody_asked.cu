// Mistake 4: a block of 2,000 threads does not exist, but the program does not check the launch.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void celsius_kernel(const float* fahrenheit, float* celsius, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) celsius[i] = (fahrenheit[i] - 32) * 5 / 9;
}

int main() {
    std::vector<float> items(1000, 212.0f);
    const std::size_t bytes = items.size() * sizeof(float);
    float *d_fahrenheit = nullptr, *d_celsius = nullptr;
    cudaMalloc(&d_fahrenheit, bytes);
    cudaMalloc(&d_celsius, bytes);
    cudaMemcpy(d_fahrenheit, items.data(), bytes, cudaMemcpyHostToDevice);
    celsius_kernel<<<1, 2000>>>(d_fahrenheit, d_celsius, 1000);
    cudaMemcpy(items.data(), d_celsius, bytes, cudaMemcpyDeviceToHost);
    std::printf("212 F is %g C\n", items[0]);
    cudaFree(d_fahrenheit);
    cudaFree(d_celsius);
}
