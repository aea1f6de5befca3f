// Each thread has a workspace, chosen by its number in the block: all blocks use the same ones.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_of_powers(const float* x, float* sums, float* workspace) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* powers = workspace + threadIdx.x * 4;
    powers[0] = 1;
    for (int k = 1; k < 4; ++k) powers[k] = powers[k - 1] * x[i];
    sums[i] = powers[0] + powers[1] + powers[2] + powers[3];
}

int main() {
    constexpr int kBlocks = 3, kThreads = 32, kItems = kBlocks * kThreads;
    float *x, *sums, *workspace;
    cudaMallocManaged(&x, kItems * sizeof(float));
    cudaMallocManaged(&sums, kItems * sizeof(float));
    cudaMalloc(&workspace, kThreads * 4 * sizeof(float));
    for (int i = 0; i < kItems; ++i) x[i] = static_cast<float>(i % 5);
    sum_of_powers<<<kBlocks, kThreads>>>(x, sums, workspace);
    cudaDeviceSynchronize();
    std::printf("%d\n", sums[0] > 0);
    cudaFree(x);
    cudaFree(sums);
    cudaFree(workspace);
    return 0;
}
