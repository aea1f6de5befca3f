// Exercise 2.2: shared memory from the launch                                        (find the bug)
//
// Task: Find the line of the kernel that does not match the launch, and fix it.
// Given: A block may have 32, 64, ... or 1024 threads, as the caller chooses. Every result is
// right, and yet fewer blocks fit on a multiprocessor than could. The article's kernel looked like
// this one.
// Required: The launch is correct, and stays as it is.
// Read: ../../docs/faults.md, "dynamic_shared_unused"
// Check: ./tutorial check ch02/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

__global__ void block_sums_kernel(const float* items, std::size_t n, float* partial) {
    // TODO (about 1 line): the fault is here.
    __shared__ float sums[1024];
    // END
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + t;
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

/// Each block adds `threads` items (a power of two). d_partial: a float for each block.
void block_sums(const float* d_items, std::size_t n, unsigned threads, float* d_partial) {
    const unsigned blocks = n == 0 ? 1 : static_cast<unsigned>((n + threads - 1) / threads);
    block_sums_kernel<<<blocks, threads, threads * sizeof(float)>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

/// Bytes of shared memory that a block gets besides what the launch asks for.
std::size_t fixed_bytes() {
    cudaFuncAttributes attributes = {};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, block_sums_kernel));
    return attributes.sharedSizeBytes;
}
