// A lock by atomicCAS without fences: others may see it free before they see what it guards.
#include <cuda_runtime.h>

__global__ void add_under_lock(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(10);
    *total += static_cast<int>(blockIdx.x) + 1;
    atomicExch(lock, 0);
}

int main() {
    int* d_lock = nullptr;
    int* d_total = nullptr;
    cudaMalloc(&d_lock, sizeof(int));
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_lock, 0, sizeof(int));
    cudaMemset(d_total, 0, sizeof(int));
    add_under_lock<<<8, 1>>>(d_lock, d_total);
    cudaDeviceSynchronize();
    cudaFree(d_lock);
    cudaFree(d_total);
    return 0;
}
