// The lock is taken with atomicCAS, but released with a plain store.
#include <cuda_runtime.h>

__global__ void sum_under_plain_lock(int* lock, int* total) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(50);
    __threadfence();
    *total += static_cast<int>(blockIdx.x);
    __threadfence();
    *lock = 0;
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 2 * sizeof(int));
    cudaMemset(d_data, 0, 2 * sizeof(int));
    sum_under_plain_lock<<<8, 32>>>(d_data, d_data + 1);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
