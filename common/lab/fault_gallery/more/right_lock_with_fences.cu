// A lock by atomicCAS with one fence after acquiring it and one before releasing it.
#include <cuda_runtime.h>

__global__ void guarded_add(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(10);
    __threadfence();
    *total += static_cast<int>(blockIdx.x) + 1;
    __threadfence();
    atomicExch(lock, 0);
}

int main() {
    int* d_lock = nullptr;
    cudaMalloc(&d_lock, 1 * sizeof(int));
    cudaMemset(d_lock, 0, 1 * sizeof(int));
    int* d_total = nullptr;
    cudaMalloc(&d_total, 1 * sizeof(int));
    cudaMemset(d_total, 0, 1 * sizeof(int));
    guarded_add<<<8, 1>>>(d_lock, d_total);
    cudaDeviceSynchronize();
    cudaFree(d_lock);
    cudaFree(d_total);
    return 0;
}
