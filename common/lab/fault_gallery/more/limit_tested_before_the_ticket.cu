// A limit is tested on the counter, by a volatile load, and what the counter gives is not.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_bits_by_ticket(const unsigned* words, int* bits, int* next, int n) {
    const volatile int* seen = next;
    while (*seen < n) {
        const int ticket = atomicAdd(next, 1);
        bits[ticket] = __popc(words[ticket]);
    }
}

int main() {
    constexpr int kWords = 300, kThreads = 128;
    unsigned words[kWords];
    int bits[kWords];
    for (int i = 0; i < kWords; ++i) words[i] = static_cast<unsigned>(i) * 2654435761u;
    unsigned* d_words;
    int *d_bits, *d_next;
    // Room for the items beyond the limit.
    cudaMalloc(&d_words, (kWords + kThreads) * sizeof(unsigned));
    cudaMalloc(&d_bits, (kWords + kThreads) * sizeof(int));
    cudaMalloc(&d_next, sizeof(int));
    cudaMemset(d_words, 0, (kWords + kThreads) * sizeof(unsigned));
    cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice);
    cudaMemset(d_next, 0, sizeof(int));
    count_bits_by_ticket<<<2, kThreads / 2>>>(d_words, d_bits, d_next, kWords);
    cudaMemcpy(bits, d_bits, sizeof bits, cudaMemcpyDeviceToHost);
    std::printf("%d\n", bits[3]);
    cudaFree(d_words);
    cudaFree(d_bits);
    cudaFree(d_next);
    return 0;
}
