// The host and a kernel count in the same words, both with atomic operations of system scope.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void vote(int* votes, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        atomicAdd_system(&votes[0], 10);
        atomicMax_system(&votes[1], static_cast<int>(threadIdx.x));
    }
}

int main() {
    int* votes = nullptr;
    cudaMallocManaged(&votes, 2 * sizeof(int));
    votes[0] = votes[1] = 0;
    vote<<<2, 32>>>(votes, 4);
    for (int i = 0; i < 100; ++i) {
        __sync_fetch_and_add(&votes[0], 10);
        int expected = 0, old = 0;
        do {
            expected = votes[1];
            old = __sync_val_compare_and_swap(&votes[1], expected, expected > i ? expected : i);
        } while (old != expected);
    }
    cudaDeviceSynchronize();
    std::printf("%d votes, the largest %d\n", votes[0], votes[1]);
    cudaFree(votes);
    return 0;
}
