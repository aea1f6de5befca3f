// The barrier is in a loop over 128 pairs, which 96 threads leave after different rounds.
#include <cuda_runtime.h>

constexpr int kPairs = 128;

__global__ void sums_and_differences(float* items) {
    __shared__ float pair_items[2 * kPairs];
    for (int i = threadIdx.x; i < 2 * kPairs; i += blockDim.x) pair_items[i] = items[i];
    __syncthreads();
    for (int half = 1; half <= kPairs; half *= 2) {
        for (int k = threadIdx.x; k < kPairs; k += blockDim.x) {
            const int first = k / half * 2 * half + k % half, second = first + half;
            const float sum = pair_items[first] + pair_items[second];
            pair_items[second] = pair_items[first] - pair_items[second];
            pair_items[first] = sum;
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < 2 * kPairs; i += blockDim.x) items[i] = pair_items[i];
}

int main() {
    float* items = nullptr;
    cudaMalloc(&items, 2 * kPairs * sizeof(float));
    cudaMemset(items, 0, 2 * kPairs * sizeof(float));
    sums_and_differences<<<1, 96>>>(items);
    cudaDeviceSynchronize();
    cudaFree(items);
    return 0;
}
