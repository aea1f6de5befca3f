// The last block has seen all tickets, but nothing ensures that it reads the others' sums after
// that.
#include <cuda_runtime.h>

__global__ void one_pass_kernel(const float* items, float* partial, unsigned* ticket, float* sum) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = items[blockIdx.x];
        __threadfence();  // the partial sum is seen before the ticket is
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();  // all threads know whether this block is the last
    if (is_last && threadIdx.x == 0) {
        float total = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
        *sum = total;
    }
}

int main() {
    float *d_items = nullptr, *d_partial = nullptr, *d_sum = nullptr;
    unsigned* d_ticket = nullptr;
    cudaMalloc(&d_items, 8 * sizeof(float));
    cudaMalloc(&d_partial, 8 * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMalloc(&d_ticket, sizeof(unsigned));
    cudaMemset(d_items, 0x3f, 8 * sizeof(float));
    cudaMemset(d_ticket, 0, sizeof(unsigned));
    one_pass_kernel<<<8, 32>>>(d_items, d_partial, d_ticket, d_sum);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_partial);
    cudaFree(d_sum);
    cudaFree(d_ticket);
}
