// Blocks take tickets from a cuda::atomic of thread_scope_block, atomic only within a block
#include <cuda_runtime.h>
#include <cuda/atomic>

using Ticket = cuda::atomic_ref<int, cuda::thread_scope_block>;

__global__ void draw_kernel(int* ticket, int* drawn) {
    if (threadIdx.x == 0)
        drawn[blockIdx.x] = Ticket(*ticket).fetch_add(1, cuda::memory_order_relaxed);
}

int main() {
    int* d_tickets = nullptr;
    cudaMalloc(&d_tickets, 5 * sizeof(int));
    cudaMemset(d_tickets, 0, 5 * sizeof(int));
    draw_kernel<<<4, 32>>>(d_tickets, d_tickets + 1);
    cudaDeviceSynchronize();
    cudaFree(d_tickets);
    return 0;
}
