// Two extern __shared__ arrays begin at the same address: the weights overwrite the counts.
#include <cuda_runtime.h>

__global__ void weighted_counts(float* out) {
    extern __shared__ int bin_counts[];
    extern __shared__ float bin_weights[];
    const int t = static_cast<int>(threadIdx.x);
    bin_counts[t] = t;
    __syncthreads();  // all counts are there
    bin_weights[t] = 0.5f;
    __syncthreads();  // all weights are there
    out[t] = static_cast<float>(bin_counts[t]) * bin_weights[t];
}

int main() {
    float* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(float));
    weighted_counts<<<1, 32, 64 * sizeof(float)>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
