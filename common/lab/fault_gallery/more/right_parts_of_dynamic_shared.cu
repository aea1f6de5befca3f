// Two arrays in one: the second begins after the first, whatever its name is.
#include <cuda_runtime.h>

__global__ void parts_of_one(float* out) {
    extern __shared__ int part_counts[];
    extern __shared__ float part_weights[];
    const int t = static_cast<int>(threadIdx.x);
    part_counts[t] = t;
    part_weights[32 + t] = 0.5f;
    __syncthreads();  // both are there
    out[t] = static_cast<float>(part_counts[t]) * part_weights[32 + t];
    __syncthreads();         // all have read
    part_weights[t] = 1.0f;  // the counts are no longer needed
    __syncthreads();         // all weights are there
    out[t] += part_weights[31 - t];
}

int main() {
    float* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(float));
    parts_of_one<<<1, 32, 64 * sizeof(float)>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
