// Each thread marks the multiples of its number: 12 is one of 2, of 3 and of 4.
#include <cuda_runtime.h>

#include <cstdio>

struct Marks {
    unsigned* words;
    __device__ void set(int i) { words[i / 32] |= 1u << (i % 32); }
};

__global__ void mark_multiples(Marks composite, int last) {
    const int step = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 2;
    for (int i = 2 * step; i <= last; i += step) composite.set(i);
}

int main() {
    constexpr int kLast = 255, kWords = kLast / 32 + 1;
    unsigned words[kWords];
    Marks composite{};
    cudaMalloc(&composite.words, sizeof words);
    cudaMemset(composite.words, 0, sizeof words);
    mark_multiples<<<2, 64>>>(composite, kLast);
    cudaMemcpy(words, composite.words, sizeof words, cudaMemcpyDeviceToHost);
    std::printf("%d\n", words[0] != 0);
    cudaFree(composite.words);
    return 0;
}
