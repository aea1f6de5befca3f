// Tiles whose last round is not full: the rest is not used, or is multiplied by 0, or is 0, or
// comes twice where that does not matter; and one in which the planes of three rounds are used.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTileOf = 32;

__global__ void tiles_kernel(const float* items, float* out, int n) {
    __shared__ float some[kTileOf], factors[kTileOf], all[kTileOf], planes[3][kTileOf];
    const int t = static_cast<int>(threadIdx.x);
    float sum = 0, largest = 0;
    for (int begin = 0; begin < n; begin += kTileOf) {
        if (begin + t < n) some[t] = items[begin + t];
        __syncthreads();
        const int used = min(kTileOf, n - begin);
        for (int k = 0; k < used; ++k) sum += some[k];
        for (int k = 0; k < kTileOf; ++k) largest = fmaxf(largest, some[k]);
        __syncthreads();
    }
    for (int begin = 0; begin < n; begin += kTileOf) {
        if (begin + t < n) some[t] = items[begin + t];
        factors[t] = begin + t < n ? 2.0f : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTileOf; ++k) sum += some[k] * factors[k];
        __syncthreads();
    }
    for (int begin = 0; begin < n; begin += kTileOf) {
        all[t] = 0;
        if (begin + t < n) all[t] = items[begin + t];
        __syncthreads();
        for (int k = 0; k < kTileOf; ++k) sum += all[k];
        __syncthreads();
    }
    planes[0][t] = planes[1][t] = planes[2][t] = items[t];
    for (int plane = 3; plane < 6; ++plane) {
        const int item = plane * 14 + t;
        if (item < n) planes[plane % 3][t] = items[item];
        __syncthreads();
        sum += planes[0][t] + planes[1][kTileOf - 1 - t] + planes[2][t];
        __syncthreads();
    }
    out[t] = sum + largest;
}

int main() {
    constexpr int n = 80;
    float items[n];
    for (int i = 0; i < n; ++i) items[i] = static_cast<float>(i);
    float *d_items = nullptr, *d_out = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_out, kTileOf * sizeof(float));
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    tiles_kernel<<<1, kTileOf>>>(d_items, d_out, n);
    cudaMemcpy(items, d_out, kTileOf * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\n", items[0]);
    cudaFree(d_items);
    cudaFree(d_out);
    return 0;
}
