// Exercise 4.8: sum and count in one word                                       (fill in the blank)
//
// Task: Add the blocks' sums in one launch, without a second launch that clears a word first.
// Given: *word is 0 when the launch begins. All squares together are below 2^48, and there are
// fewer than 2^16 blocks.
// Required: Each block adds its sum to *word, and by the same atomic operation counts itself in the
// upper 16 bits. The block that is counted last knows the whole sum: it stores the sum in *sum, and
// sets *word to 0 again. No block waits.
// Read: ../fastest.md, "`counted`: sum and count in one word"
// Check: ./tutorial check ch04/ex8     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

using Sum = unsigned long long;

constexpr unsigned kThreads = 64;

/// The sum of the squares of the block's items, in thread 0.
__device__ Sum block_sum(const int* items, std::size_t n) {
    __shared__ Sum sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
    const long long item = i < n ? items[i] : 0;
    sums[t] = static_cast<Sum>(item * item);
    __syncthreads();  // every thread's square is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    return sums[0];
}

__global__ void squares_kernel(const int* items, std::size_t n, Sum* word, Sum* sum) {
    const Sum mine = block_sum(items, n);
    if (threadIdx.x != 0) return;
    constexpr Sum kCountOne = Sum{1} << 48;
    // TODO (about 5 lines): add `mine` and one block to *word; the last block leaves the sum.
    atomicAdd(word, kCountOne | mine);
    if (blockIdx.x == 0) *sum = atomicExch(word, Sum{0}) & (kCountOne - 1);
    // END
}

}  // namespace

/// *d_sum becomes the sum of the squares of d_items[0..n). *d_word is 0 before and afterwards.
void one_word(const int* d_items, std::size_t n, Sum* d_word, Sum* d_sum) {
    const std::size_t blocks = n == 0 ? 1 : (n + kThreads - 1) / kThreads;
    squares_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(d_items, n, d_word, d_sum);
    CUDA_CHECK_LAUNCH();
}
