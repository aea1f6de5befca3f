// A flag between blocks, of thread scope: release and acquire order nothing there.
#include <cuda_runtime.h>

#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_thread> flag_of_one_thread{0};

__global__ void pass_on_in_thread_scope(int* item, int* out) {
    if (blockIdx.x == 0) {
        *item = 17;
        flag_of_one_thread.store(1, cuda::memory_order_release);
    } else {
        while (flag_of_one_thread.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *item;
    }
}

int main() {
    int* d_item = nullptr;
    cudaMalloc(&d_item, 2 * sizeof(int));
    pass_on_in_thread_scope<<<2, 1>>>(d_item, d_item + 1);
    cudaDeviceSynchronize();
    cudaFree(d_item);
    return 0;
}
