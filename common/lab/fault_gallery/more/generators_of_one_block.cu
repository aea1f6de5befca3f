// A thread's generator is chosen by its number in the block: all blocks change the same ones.
#include <cuda_runtime.h>

#include <cstdio>

__device__ float next_dart(unsigned* generator) {
    unsigned value = *generator;
    value ^= value << 13;
    value ^= value >> 17;
    value ^= value << 5;
    *generator = value;
    return static_cast<float>(value >> 8) / (1 << 24);
}

__global__ void darts_in_circle(unsigned* generators, int* inside) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* own = generators + threadIdx.x;
    int hits = 0;
    for (int k = 0; k < 4; ++k) {
        const float x = next_dart(own), y = next_dart(own);
        hits += x * x + y * y < 1;
    }
    inside[i] = hits;
}

int main() {
    constexpr int kBlocks = 3, kThreads = 32, kItems = kBlocks * kThreads;
    unsigned* generators;
    int* inside;
    cudaMallocManaged(&generators, kItems * sizeof(unsigned));
    cudaMallocManaged(&inside, kItems * sizeof(int));
    for (int i = 0; i < kItems; ++i) generators[i] = 2654435761u * (i + 1);
    darts_in_circle<<<kBlocks, kThreads>>>(generators, inside);
    cudaDeviceSynchronize();
    std::printf("%d\n", inside[0] <= 4);
    cudaFree(generators);
    cudaFree(inside);
    return 0;
}
