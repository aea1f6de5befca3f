// A flag of cuda::atomic, stored and loaded in relaxed order, is meant to pass on an array.
#include <cuda_runtime.h>

#include <cuda/atomic>

__global__ void pass_by_relaxed_flag(int* out) {
    __shared__ int data[32];
    __shared__ int flag;
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) flag = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (t < 32) {
        data[t] = t;
        __syncwarp();
        if (t == 0) ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {
        }
        out[t - 32] = data[t - 32];
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    pass_by_relaxed_flag<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
