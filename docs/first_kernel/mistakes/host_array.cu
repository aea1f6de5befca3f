// Mistake 2: the kernel is given the host's array, which is in another memory.
#include <cuda_runtime.h>

#include <vector>

__global__ void celsius_kernel(const float* fahrenheit, float* celsius, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) celsius[i] = (fahrenheit[i] - 32) * 5 / 9;
}

int main() {
    std::vector<float> items(1000, 212.0f);
    const std::size_t bytes = items.size() * sizeof(float);
    float* d_celsius = nullptr;
    cudaMalloc(&d_celsius, bytes);
    celsius_kernel<<<4, 256>>>(items.data(), d_celsius, 1000);
    cudaMemcpy(items.data(), d_celsius, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_celsius);
}
