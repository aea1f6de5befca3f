// Counts with cuda::atomic_ref of thread scope: atomic for one thread, and all threads use it.
#include <cuda_runtime.h>

#include <cuda/atomic>

__global__ void count_in_thread_scope(const int* items, int* positive) {
    cuda::atomic_ref<int, cuda::thread_scope_thread> count(*positive);
    if (items[threadIdx.x] > 0) count.fetch_add(1, cuda::memory_order_relaxed);
}

int main() {
    int items[64];
    for (int i = 0; i < 64; ++i) items[i] = i % 2;
    int *d_items = nullptr, *d_positive = nullptr;
    cudaMalloc(&d_items, sizeof(items));
    cudaMalloc(&d_positive, sizeof(int));
    cudaMemcpy(d_items, items, sizeof(items), cudaMemcpyHostToDevice);
    cudaMemset(d_positive, 0, sizeof(int));
    count_in_thread_scope<<<1, 64>>>(d_items, d_positive);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_positive);
    return 0;
}
