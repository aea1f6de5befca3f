// Exercise 1.3: the way to memory, once                                            (make it faster)
//
// Task: this kernel is right, and sends every key to global memory and back in each half-step.
// Let it fetch each key once and store it once: sort a copy in shared memory. `odd_even_steps`
// may stay as it is; it does not mind what kind of memory its keys are in. At most 9 n bytes
// may be moved between the block and global memory: a sector that is touched twice counts
// twice.
// Read: ../README.md, "`shared`"
// Check: ./tutorial check ch01/ex3      Stuck? Add --hint
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"

/// Sorts `count` keys. Thread t compares the t-th pair of each half-step. Call it after a barrier;
/// it ends with one.
__device__ void odd_even_steps(int* keys, unsigned count) {
    for (unsigned step = 0; step < count; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < count && keys[i + 1] < keys[i]) {
            const int other = keys[i];
            keys[i] = keys[i + 1];
            keys[i + 1] = other;
        }
        __syncthreads();  // between half-steps; after the last: before the keys are used
    }
}

__global__ void sort_kernel(int* keys, unsigned n) {
    // TODO (about 5 lines): sort in shared memory.
    __shared__ int tile[2049];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tile[i] = keys[i];
    __syncthreads();  // loaded by other threads than will compare them
    odd_even_steps(tile, n);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) keys[i] = tile[i];
    // END
}

/// Sorts d_keys[0], ..., d_keys[n - 1]; n may be 0, and is at most 2049: two keys for each of 1024
/// threads, and the one that is left over.
void sort_keys(int* d_keys, unsigned n) {
    if (n < 2) return;
    sort_kernel<<<1, n / 2>>>(d_keys, n);
    CUDA_CHECK_LAUNCH();
}
