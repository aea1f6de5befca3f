// Pinned and managed memory that sscanf() fills; some bytes are 255, as those of fresh memory
#include <cuda_runtime.h>
#include <cstdio>

__global__ void invert_grey(const unsigned char* grey, const int* levels, int* inverted, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) inverted[i] = levels[grey[i] % 2] - grey[i];
}

int main() {
    constexpr int kPixels = 64;
    unsigned char *grey, *d_grey;
    int *levels, *d_inverted;
    cudaMallocHost(&grey, kPixels);
    cudaMallocManaged(&levels, 2 * sizeof(int));
    cudaMalloc(&d_grey, kPixels);
    cudaMalloc(&d_inverted, kPixels * sizeof(int));
    for (int i = 0; i < kPixels; ++i) {
        if (std::sscanf(i % 3 == 0 ? "255" : "17", "%hhu", &grey[i]) != 1) return 1;
    }
    if (std::sscanf("255 -1", "%d %d", &levels[0], &levels[1]) != 2) return 1;
    cudaMemcpy(d_grey, grey, kPixels, cudaMemcpyHostToDevice);
    invert_grey<<<1, kPixels>>>(d_grey, levels, d_inverted, kPixels);
    cudaDeviceSynchronize();
    cudaFree(d_inverted);
    cudaFree(d_grey);
    cudaFree(levels);
    cudaFreeHost(grey);
    return 0;
}
