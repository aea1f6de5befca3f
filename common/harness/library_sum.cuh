// The sum of floats as libraries compute it, for the last rows of chapters 2 and 3.
#pragma once

#include <cuda_runtime.h>

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "cub_limits.hpp"
#endif

#include <cstddef>
#include <vector>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "interface.hpp"
#include "library_count.hpp"

namespace tutorial {

#if defined(__CUDACC__)

/// Scratch memory in bytes, more than CUB asks for, whatever n is: CUB would report too little.
constexpr std::size_t kLibraryBytes = std::size_t{1} << 20;

inline RowInfo cub_row() {
    return {"cub", "cub::DeviceReduce::Sum", RowKind::library, cub_limits()};
}

inline RowInfo thrust_row() {
    return {"thrust", "thrust::reduce, which hands the sum to the host", RowKind::library};
}

/// Enqueues *d_sum = the sum of d_items[0..n). `d_scratch`: kLibraryBytes.
inline void cub_sum(const float* d_items, std::size_t n, float* d_sum,
                    DeviceBuffer<unsigned char>& d_scratch) {
    std::size_t bytes = d_scratch.size();
    with_library_count(n, [&](auto count) {
        CUDA_CHECK(cub::DeviceReduce::Sum(d_scratch.data(), bytes, d_items, d_sum, count));
    });
}

inline float thrust_sum(const float* d_items, std::size_t n) {
    return thrust::reduce(thrust::device, d_items, d_items + n, 0.0f);
}

#else

constexpr std::size_t kLibraryBytes = 0;

#endif

}  // namespace tutorial
