// A better algorithm: cub's radix sort. A few passes of about n operations each, instead of n^2.
#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>

#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/key_order.hpp"
#endif

namespace tutorial {

#if defined(__CUDACC__)
/// Scratch memory that cub's sort may ask for, in bytes, at the chapter's largest n.
constexpr std::size_t kLibraryScratch = std::size_t{8} << 20;

template <class Key>
__global__ void to_ordered_ints_kernel(const Key* keys, int* ints, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ints[i] = ordered_int(keys[i]);
}

template <class Key>
__global__ void from_ordered_ints_kernel(const int* ints, Key* keys, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = key_from_ordered_int<Key>(ints[i]);
}

/// Ints as they are. Floats as ordered_int() maps them: cub would put NaN with a sign first, and
/// the mapping is timed with the sort. The first 8 n bytes of the scratch memory hold the keys and
/// their copy; cub's own scratch memory begins at 16 n.
template <class Key>
void cub_radix(Key* keys, unsigned n, void* scratch) {
    if (n == 0) return;
    constexpr bool kConverts = !std::is_same_v<Key, int>;
    constexpr unsigned kThreads = 256;
    const unsigned blocks = divide_up(n, kThreads);
    int* const room = static_cast<int*>(scratch);
    void* rest = static_cast<char*>(scratch) + 16 * std::size_t{n};
    std::size_t rest_bytes = kLibraryScratch;  // cub returns an error if that is too little
    int* ints = room + n;
    if constexpr (kConverts) {
        to_ordered_ints_kernel<<<blocks, kThreads>>>(keys, ints, n);
        CUDA_CHECK_LAUNCH();
    } else {
        ints = keys;
    }
    cub::DoubleBuffer<int> buffers(ints, room);
    CUDA_CHECK(cub::DeviceRadixSort::SortKeys(rest, rest_bytes, buffers, static_cast<int>(n)));
    if constexpr (kConverts) {
        from_ordered_ints_kernel<<<blocks, kThreads>>>(buffers.Current(), keys, n);
        CUDA_CHECK_LAUNCH();
    } else if (buffers.Current() != keys) {
        CUDA_CHECK(
            cudaMemcpyAsync(keys, buffers.Current(), n * sizeof(int), cudaMemcpyDeviceToDevice));
    }
}
#else
constexpr std::size_t kLibraryScratch = 0;
#endif

}  // namespace tutorial
