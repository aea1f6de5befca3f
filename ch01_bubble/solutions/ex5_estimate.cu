// Exercise 1.5: estimate first                                                   (predict a number)
//
// Task: Estimate the time of a sort with many blocks: fill in the four numbers.
// Given: 10 segments of 64 keys are sorted on a GPU with 4 multiprocessors, each of which holds one
// block at a time. Each launch waits for the previous one. What takes time is half-steps that run
// one after the other.
// Required: Four exact numbers. The lab counts what really happens.
// Read: ../README.md, "Estimate first"
// Check: ./tutorial check ch01/ex5     Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kSegment = 64;
constexpr unsigned kKeys = 10 * kSegment;

__global__ void sort_segments_kernel(int* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) tile[i] = keys[begin + i];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned step = 0; step < count; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < count && tile[i + 1] < tile[i]) {
            const int other = tile[i];
            tile[i] = tile[i + 1];
            tile[i + 1] = other;
        }
        __syncthreads();  // between half-steps; after the last: before the keys are stored
    }
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) keys[begin + i] = tile[i];
}

void sort_keys(int* d_keys) {
    const unsigned rounds = (kKeys + kSegment / 2 - 1) / (kSegment / 2);
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned first = round % 2 * (kSegment / 2);
        const unsigned blocks = (kKeys - first + kSegment - 1) / kSegment;
        sort_segments_kernel<<<blocks, kSegment / 2>>>(d_keys, kKeys, first);
        CUDA_CHECK_LAUNCH();
    }
}

struct Estimate {
    double launches;       ///< of the kernel, in one sort
    double blocks;         ///< of all launches together
    double blocks_of_one;  ///< in one launch, on the multiprocessor that gets most of them
    double half_steps;     ///< one after the other, on that multiprocessor, in all launches
};

Estimate estimate() {
    Estimate guess = {};
    // TODO (about 4 lines): the four numbers; as products, if you like.
    guess.launches = 20;
    guess.blocks = 20 * 10;
    guess.blocks_of_one = 3;
    guess.half_steps = 20 * 3 * 64;
    // END
    return guess;
}
