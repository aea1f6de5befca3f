// The thread that holds the lock returns without releasing it, and all others wait.
#include <cuda_runtime.h>

__global__ void take_lock_of_all(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *total += 1;
}

int main() {
    int* d_lock = nullptr;
    cudaMalloc(&d_lock, 2 * sizeof(int));
    cudaMemset(d_lock, 0, 2 * sizeof(int));
    take_lock_of_all<<<1, 32>>>(d_lock, d_lock + 1);
    cudaDeviceSynchronize();
    cudaFree(d_lock);
    return 0;
}
