// Warm-up 7: three rounds                                                            (find the bug)
//
// Task: Find out why this kernel is wrong, and correct it.
// Given: 256 numbers in a ring, and three rounds. In each round every thread adds its right
// neighbour's number to its own: first all threads read, and then all of them write. On a GPU the
// results are usually right, but nothing guarantees that.
// Required: The results are right in whatever order the threads run.
// Read: ../../first_kernel.md, "Memory for a block"
// Check: ./tutorial check first/ex7     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 256, kRounds = 3;

__global__ void rounds_kernel(int* rings) {
    __shared__ int ring[kThreads];
    const unsigned t = threadIdx.x;
    int* const mine = rings + blockIdx.x * kThreads;  // each block has a ring of its own
    ring[t] = mine[t];
    __syncthreads();  // the ring is complete
    for (unsigned round = 0; round < kRounds; ++round) {
        // TODO (about 4 lines): the fault is here.
        const int right = ring[(t + 1) % kThreads];
        __syncthreads();  // all have read before any writes
        ring[t] += right;
        // END
    }
    mine[t] = ring[t];
}

/// rings: 256 ints for each ring, in device memory; at least one ring.
void three_rounds(int* d_rings, unsigned count) { rounds_kernel<<<count, kThreads>>>(d_rings); }
