// Of many random words a few look like the pattern that fills variables without a value.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void hash_words(unsigned* words, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned word = i;
    for (int round = 0; round < 4; ++round) {
        word = (word ^ (word >> 16)) * 0x45d9f3bu;
        words[i] = word;
    }
}

int main() {
    constexpr unsigned n = 1u << 20;
    unsigned* words = nullptr;
    cudaMalloc(&words, n * sizeof(unsigned));
    hash_words<<<n / 256, 256>>>(words, n);
    cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(words);
    return 0;
}
