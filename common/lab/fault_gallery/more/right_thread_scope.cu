// cuda::atomic_ref of thread scope: a thread uses its own item, and others read after a barrier
#include <cuda_runtime.h>

#include <cuda/atomic>

__global__ void count_own_items(const int* items, int* largest) {
    __shared__ int counts[64];
    const int t = static_cast<int>(threadIdx.x);
    cuda::atomic_ref<int, cuda::thread_scope_thread> mine(counts[t]);
    mine.store(0);
    for (int i = t; i < 256; i += 64) mine.fetch_add(items[i]);
    mine.fetch_max(1);
    __syncthreads();  // all have been counted
    largest[t] = max(counts[t], counts[63 - t]);
}

int main() {
    int *d_items = nullptr, *d_largest = nullptr;
    cudaMalloc(&d_items, 256 * sizeof(int));
    cudaMalloc(&d_largest, 64 * sizeof(int));
    cudaMemset(d_items, 0, 256 * sizeof(int));
    count_own_items<<<1, 64>>>(d_items, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_largest);
    return 0;
}
