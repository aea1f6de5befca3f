// How many blocks of a kernel run at the same time.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda_check.hpp"
#include "device_info.hpp"

namespace tutorial {

/// How many blocks of `threads` threads and `shared_bytes` of dynamic shared memory the whole
/// device holds at once. It asks CUDA, so a launcher asks once and keeps the number.
template <class Kernel>
unsigned resident_blocks(Kernel* kernel, unsigned threads, std::size_t shared_bytes = 0) {
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, kernel, static_cast<int>(threads), shared_bytes));
    return static_cast<unsigned>(per_sm * device_info().sm_count);
}

}  // namespace tutorial
