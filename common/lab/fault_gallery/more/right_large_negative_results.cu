// Stores results as large as those of an unset variable, but each has a value
#include <cuda_runtime.h>

__global__ void fractions_of_a_large_number(float* results, float large) {
    float share;
    share = large / static_cast<float>(threadIdx.x + 3);
    results[threadIdx.x] = share;
}

int main() {
    float* d_results = nullptr;
    cudaMalloc(&d_results, 64 * sizeof(float));
    fractions_of_a_large_number<<<1, 64>>>(d_results, -1.0e38f);
    cudaDeviceSynchronize();
    cudaFree(d_results);
    return 0;
}
