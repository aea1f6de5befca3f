// A better algorithm: cub's radix sort. About n operations a pass and a few passes, instead of n^2.
#pragma once

#include <cstddef>
#include <type_traits>

#include "experiment.hpp"

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>

#include "../common/harness/cuda_check.hpp"
#include "../common/harness/key_order.hpp"
#endif

namespace bubble {

#if defined(__CUDACC__)
/// Scratch memory that cub's sort may ask for, in bytes, at the chapter's largest n.
constexpr std::size_t kLibraryScratch = std::size_t{8} << 20;

template <class Key>
__global__ void to_orders_kernel(const Key* keys, int* orders, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) orders[i] = tutorial::ordered_int(keys[i]);
}

template <class Key>
__global__ void to_keys_kernel(const int* orders, Key* keys, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = tutorial::key_from_ordered_int<Key>(orders[i]);
}

/// Ints as they are. Of floats their orders, since cub would put NaN with a sign first. The first
/// 8 n bytes of the scratch memory are what is sorted and room for it, the rest is cub's own.
template <class Key>
void cub_radix(Job<Key> job) {
    if (job.n == 0) return;
    constexpr bool kConverts = !std::is_same_v<Key, int>;
    constexpr unsigned kThreads = 256;
    const unsigned blocks = (job.n + kThreads - 1) / kThreads;
    int* const room = static_cast<int*>(job.scratch);
    void* rest = static_cast<char*>(job.scratch) + 16 * std::size_t{job.n};
    std::size_t rest_bytes = kLibraryScratch;  // cub returns an error where that is too little
    int* orders = room + job.n;
    if constexpr (kConverts) {
        to_orders_kernel<<<blocks, kThreads>>>(job.keys, orders, job.n);
        CUDA_CHECK_LAUNCH();
    } else {
        orders = job.keys;
    }
    cub::DoubleBuffer<int> buffers(orders, room);
    CUDA_CHECK(cub::DeviceRadixSort::SortKeys(rest, rest_bytes, buffers, static_cast<int>(job.n)));
    if constexpr (kConverts) {
        to_keys_kernel<<<blocks, kThreads>>>(buffers.Current(), job.keys, job.n);
        CUDA_CHECK_LAUNCH();
    } else if (buffers.Current() != job.keys) {
        CUDA_CHECK(cudaMemcpyAsync(job.keys, buffers.Current(), job.n * sizeof(int),
                                   cudaMemcpyDeviceToDevice));
    }
}
#else
constexpr std::size_t kLibraryScratch = 0;
#endif

}  // namespace bubble
