// Exercise 3.2: how many sectors?                                                (predict a number)
//
// Task: Predict how many sectors of 32 bytes a request touches, on average over all requests: one
// of `items[begin + k]` if a thread has 2, 3, 8 or 32 items, and one of shifted_kernel.
// Given: In sum_kernel each thread adds kItems neighbouring items, as in the stage `contiguous`. In
// shifted_kernel neighbours read neighbours. All lanes work; items[0] lies at the start of a
// sector.
// Required: Five numbers. Pencil and paper are enough.
// Read: ../README.md, "`contiguous`: eight items per thread, added while loading"
// Check: ./tutorial check ch03/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

namespace {

template <unsigned kItems>
__global__ void sum_kernel(const float* items, float* sums) {
    const unsigned begin = (blockIdx.x * blockDim.x + threadIdx.x) * kItems;
    float mine = 0.0f;
    for (unsigned k = 0; k < kItems; ++k) mine += items[begin + k];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

__global__ void shifted_kernel(const float* items, float* sums) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = items[i + 1];
}

}  // namespace

/// Sectors that a request touches, on average.
struct Sectors {
    double items_2, items_3, items_8, items_32;  ///< of sum_kernel, by items per thread
    double shifted;                              ///< of shifted_kernel
};

Sectors predict() {
    Sectors sectors = {};
    // TODO (about 5 lines): your numbers.
    sectors.items_2 = 8;    // 32 lanes, 8 bytes apart: 256 bytes
    sectors.items_3 = 12;   // 12 bytes apart: 384 bytes, and no sector without a word of them
    sectors.items_8 = 32;   // 32 bytes apart: each lane in a sector of its own
    sectors.items_32 = 32;  // further apart, but a lane cannot touch more than one
    sectors.shifted = 5;    // 128 bytes that begin 4 bytes into a sector
    // END
    return sectors;
}

/// Both kernels with a thread for each of d_sums[0..threads), in blocks of 256; d_items holds
/// threads * items items (shifted: one more than threads). `items`: 2, 3, 8 or 32.
void sum(unsigned items, const float* d_items, std::size_t threads, float* d_sums) {
    const unsigned blocks = static_cast<unsigned>(threads / 256);
    if (items == 2) sum_kernel<2><<<blocks, 256>>>(d_items, d_sums);
    if (items == 3) sum_kernel<3><<<blocks, 256>>>(d_items, d_sums);
    if (items == 8) sum_kernel<8><<<blocks, 256>>>(d_items, d_sums);
    if (items == 32) sum_kernel<32><<<blocks, 256>>>(d_items, d_sums);
    CUDA_CHECK_LAUNCH();
}

void shifted(const float* d_items, std::size_t threads, float* d_sums) {
    shifted_kernel<<<static_cast<unsigned>(threads / 256), 256>>>(d_items, d_sums);
    CUDA_CHECK_LAUNCH();
}
