// All threads draw from one generator: two of them may get the same number, and one step is lost.
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned dice_state = 2463534242u;

__device__ unsigned next_dice() {
    dice_state ^= dice_state << 13;
    dice_state ^= dice_state >> 17;
    dice_state ^= dice_state << 5;
    return dice_state % 6 + 1;
}

__global__ void throw_dice(unsigned* thrown, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) thrown[i] = next_dice();
}

int main() {
    constexpr int kThrows = 100;
    unsigned thrown[kThrows];
    unsigned* d_thrown;
    cudaMalloc(&d_thrown, sizeof thrown);
    throw_dice<<<2, 64>>>(d_thrown, kThrows);
    cudaMemcpy(thrown, d_thrown, sizeof thrown, cudaMemcpyDeviceToHost);
    std::printf("%d\n", thrown[0] > 0);
    cudaFree(d_thrown);
    return 0;
}
