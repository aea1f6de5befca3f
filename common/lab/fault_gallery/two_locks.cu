// Two threads take two locks in opposite order, and each waits for the other's.
#include <cuda_runtime.h>

__device__ void lock(int* which) {
    while (atomicCAS(which, 0, 1) != 0) __nanosleep(100);
}

__global__ void locks_kernel(int* locks) {
    const int first = static_cast<int>(threadIdx.x);
    lock(&locks[first]);
    __syncwarp();  // each holds its first lock
    lock(&locks[1 - first]);
}

int main() {
    int* d_locks = nullptr;
    cudaMalloc(&d_locks, 2 * sizeof(int));
    cudaMemset(d_locks, 0, 2 * sizeof(int));
    locks_kernel<<<1, 2>>>(d_locks);
    cudaDeviceSynchronize();
    cudaFree(d_locks);
}
