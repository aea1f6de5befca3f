// Two pairs of lines load a counter and store it: another thread may store between the two.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void draw_numbers(int* next, int* own, int rounds) {
    const int drawn = *next;
    *next = drawn + 1;
    own[blockIdx.x * blockDim.x + threadIdx.x] = drawn;
    for (int round = 1; round < rounds; ++round) {
        const int wasted = *next;
        *next = wasted + 1;
    }
}

int main() {
    constexpr int kThreads = 128;
    int *next, *own;
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&own, kThreads * sizeof(int));
    cudaMemset(next, 0, sizeof(int));
    draw_numbers<<<kThreads / 32, 32>>>(next, own, 3);
    int drawn = 0;
    cudaMemcpy(&drawn, next, sizeof drawn, cudaMemcpyDeviceToHost);
    std::printf("%s\n", drawn > 0 ? "drawn" : "none");
    cudaFree(next);
    cudaFree(own);
    return 0;
}
