// A function of the device that returns no value on one of its paths.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int levels_of(int kind) {
    switch (kind) {
        case 0:
            return 16;
        case 1:
            return 64;
    }
}
__global__ void quantise(const float* x, const int* kinds, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int levels = levels_of(kinds[i]);
    out[i] = floorf(x[i] * levels) / levels;
}

int main() {
    constexpr int kItems = 50;
    float x[kItems], *device_x, *out;
    int kinds[kItems], *device_kinds;
    for (int i = 0; i < kItems; ++i) {
        x[i] = i / 50.f;
        kinds[i] = i % 3;
    }
    cudaMalloc(&device_x, sizeof x);
    cudaMalloc(&device_kinds, sizeof kinds);
    cudaMalloc(&out, sizeof x);
    cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(device_kinds, kinds, sizeof kinds, cudaMemcpyHostToDevice);
    quantise<<<1, 64>>>(device_x, device_kinds, out, kItems);
    cudaMemcpy(x, out, sizeof x, cudaMemcpyDeviceToHost);
    std::printf("%g\n", x[49]);
    cudaFree(device_x);
    cudaFree(device_kinds);
    cudaFree(out);
    return 0;
}
