// The last items have an array of their own, which is indexed as if it held all of them.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void damp_the_end(float* field, float* layer, int n, int thick) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i >= n - thick) {
        layer[i] = 0.5f * field[i];
        field[i] -= layer[i];
    }
}

int main() {
    constexpr int kItems = 200, kThick = 8;
    float *field, *layer, last = 0;
    cudaMalloc(&field, kItems * sizeof(float));
    cudaMalloc(&layer, kThick * sizeof(float));
    cudaMemset(field, 0, kItems * sizeof(float));
    damp_the_end<<<4, 64>>>(field, layer, kItems, kThick);
    cudaMemcpy(&last, field + kItems - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%g\n", last);
    cudaFree(field);
    cudaFree(layer);
    return 0;
}
