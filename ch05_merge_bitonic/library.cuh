// The libraries' sorts. They sort the keys' orders; their own order of floats is another one.
#pragma once

#include <cstddef>

#include "words.cuh"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdint>

#include "../common/harness/cuda_check.hpp"
#endif

namespace sorting {

#if defined(__CUDACC__)
static __global__ void to_orders_kernel(std::uint32_t* keys, unsigned n, KeyType type, bool back) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keys[i] = back ? bits_of_order(static_cast<int>(keys[i]), type)
                   : static_cast<std::uint32_t>(order_of_bits(keys[i], type));
}

/// Calls sort(ints) on the keys' orders, in place. The libraries' own order of floats is another:
/// cub's radix sort puts NaN with a sign first, and a merge sort with `<` cannot sort NaN at all.
template <class Word, class Sort>
void sort_orders(const Job<Word>& job, const Sort& sort) {
    if (job.n == 0) return;
    const unsigned blocks = divide_up(job.n, kPackThreads);
    const auto convert = [&](bool back) {
        if (job.type == KeyType::signed_int) return;
        to_orders_kernel<<<blocks, kPackThreads>>>(job.keys, static_cast<unsigned>(job.n), job.type,
                                                   back);
        CUDA_CHECK_LAUNCH();
    };
    convert(false);
    sort(reinterpret_cast<int*>(job.keys));
    convert(true);
}

struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

/// With scratch == nullptr: sets `bytes` to what it takes, and does nothing else.
template <class Word>
void cub_merge_call(const Job<Word>& job, void* scratch, std::size_t& bytes, int* keys) {
    const int n = static_cast<int>(job.n);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(
            cub::DeviceMergeSort::StableSortPairs(scratch, bytes, keys, job.values, n, Less{}));
    } else {
        CUDA_CHECK(cub::DeviceMergeSort::SortKeys(scratch, bytes, keys, n, Less{}));
    }
}

template <class Word>
void cub_merge(Job<Word> job) {
    sort_orders(job, [&](int* keys) {
        std::size_t bytes = 0;
        cub_merge_call(job, nullptr, bytes, keys);
        cub_merge_call(job, job.scratch, bytes, keys);
    });
}

template <class Word>
void cub_radix_call(const Job<Word>& job, void* scratch, std::size_t& bytes,
                    cub::DoubleBuffer<int>& keys, cub::DoubleBuffer<std::uint32_t>& values) {
    const int n = static_cast<int>(job.n);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n));
    } else {
        CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n));
    }
}

template <class T>
void copy_if_elsewhere(const T* from, T* to, std::size_t n) {
    if (from == to) return;
    CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

template <class Word>
void cub_radix(Job<Word> job) {
    sort_orders(job, [&](int* ints) {
        cub::DoubleBuffer<int> keys(ints, reinterpret_cast<int*>(job.spare));
        cub::DoubleBuffer<std::uint32_t> values(job.values, job.old_values);
        std::size_t bytes = 0;
        cub_radix_call(job, nullptr, bytes, keys, values);
        cub_radix_call(job, job.scratch, bytes, keys, values);
        copy_if_elsewhere(keys.Current(), ints, job.n);
        if (kHasValue<Word>) copy_if_elsewhere(values.Current(), job.values, job.n);
    });
}

template <class Word>
void thrust_sort(Job<Word> job) {
    sort_orders(job, [&](int* keys) {
        if constexpr (kHasValue<Word>) {
            thrust::stable_sort_by_key(thrust::device, keys, keys + job.n, job.values);
        } else {
            thrust::sort(thrust::device, keys, keys + job.n);
        }
    });
}

/// What the libraries ask for, in bytes.
template <class Word>
std::size_t library_bytes(std::size_t n) {
    Job<Word> job = {};
    job.n = n;
    std::size_t merge = 0, radix = 0;
    cub::DoubleBuffer<int> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    cub_merge_call(job, nullptr, merge, nullptr);
    cub_radix_call(job, nullptr, radix, keys, values);
    return std::max(merge, radix);
}
#else
template <class Word>
std::size_t library_bytes(std::size_t) {
    return 0;
}
#endif

}  // namespace sorting
