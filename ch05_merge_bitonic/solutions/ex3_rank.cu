// Exercise 5.3: own index plus rank                                             (fill in the blank)
//
// Task: Compute each key's place in the merge of two sorted runs, a and b: the number of keys that
// come before it in its own run, plus those in the other run.
// Given: Run b follows run a in memory, and every key carries a value. Each thread takes one key.
// Required: Use a binary search in the other run. The merge is stable: among equal keys, those of a
// come first, and within a run they keep their order.
// Read: ../README.md, "`merge_rank`"
// Check: ./tutorial check ch05/ex3     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

/// keys, values: n_a of run a, then n_b of run b. merged_keys, merged_values: n_a + n_b.
__global__ void merge_kernel(const int* keys, const int* values, unsigned n_a, unsigned n_b,
                             int* merged_keys, int* merged_values) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_a + n_b) return;
    const int key = keys[i];
    const bool in_a = i < n_a;
    // TODO (about 12 lines): the place of the key in the merge.
    const int* other = in_a ? keys + n_a : keys;
    unsigned low = 0, high = in_a ? n_b : n_a;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool comes_before = in_a ? other[middle] < key : other[middle] <= key;
        if (comes_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const unsigned merged_index = (in_a ? i : i - n_a) + low;
    // END
    merged_keys[merged_index] = key;
    merged_values[merged_index] = values[i];
}

/// Merges two sorted runs, each of any length.
void merge(const int* d_keys, const int* d_values, std::size_t n_a, std::size_t n_b,
           int* d_merged_keys, int* d_merged_values) {
    const std::size_t n = n_a + n_b;
    if (n == 0) return;
    merge_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(
        d_keys, d_values, static_cast<unsigned>(n_a), static_cast<unsigned>(n_b), d_merged_keys,
        d_merged_values);
    CUDA_CHECK_LAUNCH();
}
