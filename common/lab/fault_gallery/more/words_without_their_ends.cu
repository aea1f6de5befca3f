// Each word is copied with strlen() bytes, so the kernel does not find the 0 at its end.
#include <cuda_runtime.h>
#include <cstring>

constexpr int kWidth = 16;

__global__ void count_vowels(const char* words, int count, int* vowels) {
    const int w = threadIdx.x;
    if (w >= count) return;
    const char* word = words + w * kWidth;
    int found = 0;
    for (int i = 0; i < kWidth && word[i] != '\0'; ++i) {
        if (word[i] == 'a' || word[i] == 'e' || word[i] == 'o') ++found;
    }
    vowels[w] = found;
}

int main() {
    const char* words[] = {"warp", "lane", "block"};
    char* d_words = nullptr;
    int* d_vowels = nullptr;
    cudaMalloc(&d_words, 3 * kWidth);
    cudaMalloc(&d_vowels, 3 * sizeof(int));
    for (int w = 0; w < 3; ++w) {
        const std::size_t bytes = strlen(words[w]);
        cudaMemcpy(d_words + w * kWidth, words[w], bytes, cudaMemcpyHostToDevice);
    }
    count_vowels<<<1, 32>>>(d_words, 3, d_vowels);
    int vowels[3];
    cudaMemcpy(vowels, d_vowels, sizeof vowels, cudaMemcpyDeviceToHost);
    cudaFree(d_words);
    cudaFree(d_vowels);
    return 0;
}
