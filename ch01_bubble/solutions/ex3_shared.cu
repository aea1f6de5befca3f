// Exercise 1.3: sort the rows of a matrix in shared memory                         (make it faster)
//
// Task: Load each key once and store it once: sort a copy of the row in shared memory.
// Given: Each block sorts one row of a matrix, in ascending order; a row has up to 2049 keys. The
// kernel is correct, but it moves every key to global memory and back in each half-step.
// `odd_even_steps` may stay as it is; it works for both kinds of memory.
// Required: At most 9 bytes per key are moved between the blocks and global memory. A sector that
// is touched twice counts twice.
// Read: ../README.md, "`shared`"
// Check: ./tutorial check ch01/ex3     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

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

__global__ void sort_rows_kernel(int* matrix, unsigned columns) {
    int* const row = matrix + static_cast<std::size_t>(blockIdx.x) * columns;
    // TODO (about 5 lines): sort the block's row in shared memory.
    __shared__ int tile[2049];
    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) tile[i] = row[i];
    __syncthreads();  // threads compare keys that others loaded
    odd_even_steps(tile, columns);
    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) row[i] = tile[i];
    // END
}

/// Sorts each row of d_matrix: rows x columns keys, one row after the other. columns is at most
/// 2049: two keys for each of 1024 threads, and the one that is left over. Both may be 0.
void sort_rows(int* d_matrix, unsigned rows, unsigned columns) {
    if (rows == 0 || columns < 2) return;
    sort_rows_kernel<<<rows, columns / 2>>>(d_matrix, columns);
    CUDA_CHECK_LAUNCH();
}
