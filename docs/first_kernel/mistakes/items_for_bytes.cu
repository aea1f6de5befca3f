// Mistake 3: cudaMemcpy counts bytes, and is given a number of items.
#include <cuda_runtime.h>

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
    cudaMemcpy(d_fahrenheit, items.data(), items.size(), cudaMemcpyHostToDevice);
    celsius_kernel<<<4, 256>>>(d_fahrenheit, d_celsius, 1000);
    cudaMemcpy(items.data(), d_celsius, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_fahrenheit);
    cudaFree(d_celsius);
}
