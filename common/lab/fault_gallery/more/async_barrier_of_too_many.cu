// A cuda::barrier that waits for more threads than arrive
#include <cuda_runtime.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void crowd_kernel(int* out) {
    __shared__ Barrier all;
    if (threadIdx.x == 0) init(&all, 128);
    __syncthreads();  // the barrier is initialised
    all.arrive_and_wait();
    if (threadIdx.x == 0) *out = 1;
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    crowd_kernel<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
