// The sum is changed while its lock is held, and read after that.
#include <cuda_runtime.h>

struct SumLock {
    int* word;
    __device__ void lock() {
        while (atomicCAS(word, 0, 1) != 0) __nanosleep(50);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word, 0);
    }
};

__global__ void running_sums(const int* items, SumLock lock, int* sum, int* out) {
    if (threadIdx.x != 0) return;
    lock.lock();
    *sum += items[blockIdx.x];
    lock.unlock();
    out[blockIdx.x] = *sum;
}

int main() {
    const int h_items[4] = {1, 2, 3, 4};
    int *d_items = nullptr, *d_lock = nullptr, *d_sum = nullptr, *d_out = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_lock, sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMalloc(&d_out, sizeof h_items);
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    cudaMemset(d_lock, 0, sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    running_sums<<<4, 32>>>(d_items, SumLock{d_lock}, d_sum, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_lock);
    cudaFree(d_sum);
    cudaFree(d_out);
    return 0;
}
