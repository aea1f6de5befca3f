// A warp fills a buffer and the others use it; two cuda::barriers say whose turn it is
#include <cuda_runtime.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void turns_kernel(int* out) {
    __shared__ Barrier is_full, is_empty;
    __shared__ int buffer[32];
    if (threadIdx.x == 0) {
        init(&is_full, blockDim.x);
        init(&is_empty, blockDim.x);
    }
    __syncthreads();  // the barriers are initialised
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x < 32) {
            buffer[threadIdx.x] = round;
            (void)is_full.arrive();
            is_empty.arrive_and_wait();
        } else {
            is_full.arrive_and_wait();
            for (int i = 0; i < 32; ++i) sum += buffer[i];
            (void)is_empty.arrive();
        }
    }
    if (threadIdx.x == 32) *out = sum;
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 4 * sizeof(int));
    cudaMemset(d_out, 0, 4 * sizeof(int));
    turns_kernel<<<1, 96>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
