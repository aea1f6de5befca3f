// The host fills one item more than its array has.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void halve_filled(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 0.5f;
}

int main() {
    const int n = 1024;
    float* values = static_cast<float*>(malloc(n * sizeof(float)));
    for (int i = 0; i <= n; ++i) {
        values[i] = 2.0f * i;
    }
    float* d_values = nullptr;
    cudaMalloc(&d_values, n * sizeof(float));
    cudaMemcpy(d_values, values, n * sizeof(float), cudaMemcpyHostToDevice);
    halve_filled<<<n / 256, 256>>>(d_values, n);
    cudaMemcpy(values, d_values, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_values);
    free(values);
    return 0;
}
