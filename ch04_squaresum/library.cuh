// What people would call: cub's reduction, which squares each item as it is loaded.
#pragma once

#include <cstddef>

#include "experiment.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#if CUB_VERSION < 300000
#include <cub/iterator/transform_input_iterator.cuh>
#endif

#include "../common/harness/cub_limits.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/library_count.hpp"
#endif

namespace tutorial {

#if defined(__CUDACC__)

/// What cub is given: an object, because a kernel cannot call a host function by its address.
template <Sum (*kSquare)(int)>
struct Squared {
    __host__ __device__ Sum operator()(int item) const { return kSquare(item); }
};

template <Sum (*kSquare)(int)>
void cub_sum(const int* d_items, std::size_t n, Sum* d_sum,
             DeviceBuffer<unsigned char>& d_scratch) {
    std::size_t bytes = d_scratch.size();
    with_library_count(n, [&](auto count) {
#if CUB_VERSION >= 300000
        CUDA_CHECK(cub::DeviceReduce::TransformReduce(d_scratch.data(), bytes, d_items, d_sum,
                                                      count, cuda::std::plus<Sum>(),
                                                      Squared<kSquare>(), Sum{0}));
#else  // this version has no such call, or another name for this iterator
        const cub::TransformInputIterator<Sum, Squared<kSquare>, const int*> squares(
            d_items, Squared<kSquare>());
        CUDA_CHECK(cub::DeviceReduce::Sum(d_scratch.data(), bytes, squares, d_sum,
                                          static_cast<int>(count)));
#endif
    });
}

/// cub's row. It gets more scratch memory than cub asks for; cub would report too little.
template <Sum (*kSquare)(int)>
const LibrarySum* library_sum() {
    static const LibrarySum library = {
        {"cub", "cub::DeviceReduce::TransformReduce", RowKind::library, cub_limits()},
        std::size_t{1} << 20,
        cub_sum<kSquare>};
    return &library;
}

#else

template <Sum (*kSquare)(int)>
const LibrarySum* library_sum() {
    return nullptr;
}

#endif

}  // namespace tutorial
