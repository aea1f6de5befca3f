// The mask is that of group lane % 4, but the lanes of group lane / 8 make the call.
#include <cuda_runtime.h>

__global__ void sum_of_eights(const int* items, int* sums) {
    const int lane = threadIdx.x % 32;
    const unsigned mask = 0xffu << (lane % 4 * 8);
    int sum = items[threadIdx.x];
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step, 8);
    if (lane % 8 == 0) sums[threadIdx.x / 8] = sum;
}

int main() {
    int *d_items, *d_sums;
    cudaMalloc(&d_items, 32 * sizeof(int));
    cudaMalloc(&d_sums, 4 * sizeof(int));
    cudaMemset(d_items, 0, 32 * sizeof(int));
    sum_of_eights<<<1, 32>>>(d_items, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_sums);
    return 0;
}
