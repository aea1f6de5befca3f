// Exercise 6.1: a sorted list of distinct values                                (fill in the blank)
//
// Task: Write insert_value(), which inserts `value` into a sorted list and returns the new length.
// Given: top[0..count) is in descending order and holds no value twice. top has room for k values;
// those past `count` are uninitialised, so do not read them. Every int is an ordinary value, even
// INT_MIN. k may be 0.
// Required: The list then holds the k largest distinct ones of these values and `value`, or all of
// them if there are fewer than k, again in descending order.
// Read: ../README.md, "`insert`"
// Check: ./tutorial check ch06/ex1     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

/// Returns the new count.
__host__ __device__ unsigned insert_value(int* top, unsigned count, unsigned k, int value) {
    // TODO (about 7 lines): find the place; make room; the last one may fall out.
    unsigned place = 0;
    while (place < count && top[place] > value) ++place;
    if (place == k || (place < count && top[place] == value)) return count;
    if (count < k) ++count;
    for (unsigned i = count - 1; i > place; --i) top[i] = top[i - 1];
    top[place] = value;
    return count;
    // END
}

/// One thread per row: its k largest different values, and how many there are.
__global__ void top_of_rows_kernel(const int* items, std::size_t rows, std::size_t columns,
                                   unsigned k, int* top, unsigned* counts) {
    const std::size_t row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    unsigned count = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        count = insert_value(top + row * k, count, k, items[row * columns + i]);
    }
    counts[row] = count;
}

}  // namespace

/// d_items: rows x columns. d_top: rows x k. d_counts: rows.
void top_of_rows(const int* d_items, std::size_t rows, std::size_t columns, unsigned k, int* d_top,
                 unsigned* d_counts) {
    const unsigned threads = 32;
    const unsigned blocks = static_cast<unsigned>((rows + threads - 1) / threads);
    if (blocks == 0) return;
    top_of_rows_kernel<<<blocks, threads>>>(d_items, rows, columns, k, d_top, d_counts);
    CUDA_CHECK_LAUNCH();
}
