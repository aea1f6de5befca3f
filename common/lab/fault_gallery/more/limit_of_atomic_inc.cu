// atomicInc returns 0 to its limit: one more value than there are slots
#include <cuda_runtime.h>

__global__ void log_events(const int* events, unsigned* next, int* ring, unsigned slots) {
    const unsigned at = atomicInc(next, slots);
    atomicExch(&ring[at], events[threadIdx.x]);
}

int main() {
    constexpr unsigned kSlots = 16;
    constexpr int kEvents = 20;
    int *d_events, *d_ring;
    unsigned* d_next;
    cudaMalloc(&d_events, kEvents * sizeof(int));
    cudaMalloc(&d_ring, kSlots * sizeof(int));
    cudaMalloc(&d_next, sizeof(unsigned));
    cudaMemset(d_events, 0, kEvents * sizeof(int));
    cudaMemset(d_ring, 0, kSlots * sizeof(int));
    cudaMemset(d_next, 0, sizeof(unsigned));
    log_events<<<1, kEvents>>>(d_events, d_next, d_ring, kSlots);
    cudaDeviceSynchronize();
    cudaFree(d_next);
    cudaFree(d_ring);
    cudaFree(d_events);
    return 0;
}
