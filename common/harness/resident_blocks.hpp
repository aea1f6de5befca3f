// How many blocks of a kernel run at the same time.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda_check.hpp"
#include "device_info.hpp"

namespace tutorial {

/// Allows a kernel more than 48 KB of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

/// How many blocks of `threads` threads and `shared_bytes` of dynamic shared memory, which it also
/// allows, the whole device holds at once. It asks CUDA, so a launcher asks once and keeps the
/// number.
template <class Kernel>
unsigned resident_blocks(Kernel* kernel, unsigned threads, std::size_t shared_bytes = 0) {
    if (shared_bytes > 0) allow_shared(kernel, shared_bytes);
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, kernel, static_cast<int>(threads), shared_bytes));
    return static_cast<unsigned>(per_sm * device_info().sm_count);
}

}  // namespace tutorial
