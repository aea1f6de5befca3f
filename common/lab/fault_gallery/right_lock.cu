// No fault: a lock with its two fences orders what it protects.
#include <cuda_runtime.h>

__global__ void lock_kernel(int* lock, int* total) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(100);
    __threadfence();  // what the last owner wrote is seen
    *total += static_cast<int>(blockIdx.x);
    __threadfence();  // what is written here is seen before the lock is open
    atomicExch(lock, 0);
}

int main() {
    int *d_lock = nullptr, *d_total = nullptr;
    cudaMalloc(&d_lock, sizeof(int));
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_lock, 0, sizeof(int));
    cudaMemset(d_total, 0, sizeof(int));
    lock_kernel<<<16, 32>>>(d_lock, d_total);
    cudaDeviceSynchronize();
    cudaFree(d_lock);
    cudaFree(d_total);
}
