// A lock in device memory is taken, and nothing has set it to 0.
#include <cuda_runtime.h>

struct Tally {
    int count, most, least, lock;
};

__global__ void count_under_lock(Tally* tally) {
    while (atomicCAS(&tally->lock, 0, 1) != 0) __nanosleep(100);
    __threadfence();
    ++tally->count;
    __threadfence();
    atomicExch(&tally->lock, 0);
}

int main() {
    Tally* tally;
    cudaMalloc(&tally, sizeof(Tally));
    cudaMemset(tally, 0, 3 * sizeof(int));
    count_under_lock<<<1, 1>>>(tally);
    cudaDeviceSynchronize();
    cudaFree(tally);
    return 0;
}
