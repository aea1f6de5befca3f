// Each thread waits for its own copies, but only after the barrier: those of the others may not
// have landed.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/pipeline>

namespace {

__global__ void reverse_staged(const int* from, int* to) {
    __shared__ int part[64];
    cuda::pipeline<cuda::thread_scope_thread> copies = cuda::make_pipeline();
    copies.producer_acquire();
    cuda::memcpy_async(&part[threadIdx.x], &from[threadIdx.x], sizeof(int), copies);
    copies.producer_commit();
    __syncthreads();
    copies.consumer_wait();
    to[threadIdx.x] = part[63 - threadIdx.x];
    copies.consumer_release();
}

}  // namespace

int main() {
    int *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 64 * sizeof(int));
    cudaMalloc(&d_to, 64 * sizeof(int));
    cudaMemset(d_from, 0, 64 * sizeof(int));
    reverse_staged<<<1, 64>>>(d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
