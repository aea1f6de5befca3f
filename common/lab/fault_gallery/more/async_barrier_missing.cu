// A warp refills a buffer that others may still read: one cuda::barrier is not enough
#include <cuda_runtime.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void refill_kernel(int* out) {
    __shared__ Barrier is_full;
    __shared__ int buffer[32];
    if (threadIdx.x == 0) init(&is_full, blockDim.x);
    __syncthreads();  // the barrier is initialised
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x < 32) buffer[threadIdx.x] = round;
        is_full.arrive_and_wait();
        for (int i = 0; i < 32; ++i) sum += buffer[i];
    }
    if (threadIdx.x == 32) *out = sum;
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    refill_kernel<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
