// A tree of additions in which a level does not wait for the one before it.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* items, float* sum) {
    __shared__ float sums[256];
    const unsigned t = threadIdx.x;
    sums[t] = items[t];
    __syncthreads();  // every item is there
    for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) *sum = sums[0];
}

int main() {
    float *d_items = nullptr, *d_sum = nullptr;
    cudaMalloc(&d_items, 256 * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMemset(d_items, 0x3f, 256 * sizeof(float));
    sum_kernel<<<1, 256>>>(d_items, d_sum);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_sum);
}
