// Exercise 5.4: the article's network, for any n                                (fill in the blank)
//
// Task: Sort up to 1024 keys in one block, by the article's network.
// Given: One thread per key. Its partner is t ^ j; the order is ascending if (t & i) == 0, and
// descending otherwise. The network works only for powers of two, so `size`, the number of threads,
// is the smallest power of two that is at least n.
// Required: The n keys come out sorted. Choose what to store in the places from n to size, which
// hold no key.
// Read: ../README.md, "`bitonic_block`"
// Check: ./tutorial check ch05/ex4     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kMaxKeys = 1024;

__global__ void sort_kernel(int* keys, unsigned n) {
    __shared__ int tile[kMaxKeys];
    const unsigned t = threadIdx.x;
    const unsigned size = blockDim.x;
    // TODO (about 14 lines): fill the tile, then levels i = 2, 4 ... size of steps j = i / 2 ... 1.
    tile[t] = t < n ? keys[t] : INT_MAX;
    __syncthreads();  // between loading and the first step
    for (unsigned i = 2; i <= size; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            const unsigned partner = t ^ j;
            const bool upwards = (t & i) == 0;
            if (t < partner && (tile[t] > tile[partner]) == upwards) {
                const int mine = tile[t];
                tile[t] = tile[partner];
                tile[partner] = mine;
            }
            __syncthreads();  // between this step and the next, and before the keys are stored
        }
    }
    // END
    if (t < n) keys[t] = tile[t];
}

/// Sorts n <= 1024 keys in place, ascending.
void sort_in_a_block(int* d_keys, std::size_t n) {
    if (n == 0) return;
    unsigned size = 1;
    while (size < n) size *= 2;
    sort_kernel<<<1, size>>>(d_keys, static_cast<unsigned>(n));
    CUDA_CHECK_LAUNCH();
}
