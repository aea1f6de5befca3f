// Uninitialised managed memory.
#include <cuda_runtime.h>

__global__ void sum_managed(const float* data, float* sum) {
    float mine = 0.0f;
    for (int i = 0; i < 8; ++i) mine += data[i];
    *sum = mine;
}

int main() {
    float* data = nullptr;
    float* sum = nullptr;
    cudaMallocManaged(&data, 8 * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    sum_managed<<<1, 1>>>(data, sum);
    cudaDeviceSynchronize();
    cudaFree(data);
    cudaFree(sum);
    return 0;
}
