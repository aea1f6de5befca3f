// No fault: warp_without_syncwarp, with barriers between the reads and the writes of its lanes.
#include <cuda_runtime.h>

__global__ void warp_sum_kernel(const float* items, float* sum) {
    __shared__ float sums[64];
    const unsigned t = threadIdx.x;
    sums[t] = items[t];
    sums[t + 32] = items[t + 32];
    __syncwarp();  // all items are there
    for (unsigned half = 32; half > 0; half /= 2) {
        const float other = sums[t + half];
        __syncwarp();  // all have read
        sums[t] += other;
        __syncwarp();  // all have written
    }
    if (t == 0) *sum = sums[0];
}

int main() {
    float *d_items = nullptr, *d_sum = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMemset(d_items, 0x3f, 64 * sizeof(float));
    warp_sum_kernel<<<1, 32>>>(d_items, d_sum);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_sum);
}
