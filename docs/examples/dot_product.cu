// Dot product, the sum of x[i] * y[i]: one atomic addition per item, and one per block.
//
// The naive kernel adds every product to one word of global memory. The other one adds up in
// registers, then in the warp (shuffles), then in the block (shared memory). Count the global
// atomic operations of both, and the lanes that queue at one word.
//     ./tutorial explain docs/examples/dot_product.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kThreads = 256, kWarp = 32;

__global__ void dot_product_naive_kernel(const float* x, const float* y, float* sum, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(sum, x[i] * y[i]);
}

__device__ float sum_of_warp(float value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;  // lane 0 has the sum of all
}

__global__ void dot_product_block_kernel(const float* x, const float* y, float* sum, int n) {
    __shared__ float warp_sums[kThreads / kWarp];
    const int stride = gridDim.x * blockDim.x;
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) mine += x[i] * y[i];
    mine = sum_of_warp(mine);
    if (lane == 0) warp_sums[warp] = mine;
    __syncthreads();  // the sums of all warps are there before the first warp reads them
    if (warp > 0) return;
    mine = sum_of_warp(lane < kThreads / kWarp ? warp_sums[lane] : 0);
    if (lane == 0) atomicAdd(sum, mine);
}

int main() {
    const int n = 10'000;
    std::vector<float> x(n), y(n);
    float expected = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i % 7 - 3), y[i] = static_cast<float>(i % 5);
        expected += x[i] * y[i];  // small integers: exact in every order
    }
    float *d_x = nullptr, *d_y = nullptr, *d_sum = nullptr;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float)));
    CHECK(cudaMalloc(&d_sum, sizeof(float)));
    CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    int wrong = 0;
    for (auto* kernel : {dot_product_naive_kernel, dot_product_block_kernel}) {
        CHECK(cudaMemset(d_sum, 0, sizeof(float)));
        kernel<<<4, kThreads>>>(d_x, d_y, d_sum, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
        wrong += !(sum == expected);
    }
    for (float* d_items : {d_x, d_y, d_sum}) CHECK(cudaFree(d_items));
    std::printf("dot product, n = %d: %d sums are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
