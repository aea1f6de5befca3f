// A flag of cuda::atomic: set with release, waited for with acquire
#include <cuda_runtime.h>
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> is_set{0};

__global__ void pass_on_kernel(int* item, int* out) {
    if (blockIdx.x == 0) {
        *item = 17;
        is_set.store(1, cuda::memory_order_release);
    } else {
        while (is_set.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *item;
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    pass_on_kernel<<<2, 1>>>(d_out, d_out + 1);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
