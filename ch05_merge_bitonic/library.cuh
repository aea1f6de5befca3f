// The libraries' sorts, of keys as they are, or by a comparison of their order; the radix sort
// takes some floats only as ints of that order: see cub_radix.
#pragma once

#include <cstddef>

#include "words.cuh"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../common/harness/cuda_check.hpp"
#endif

namespace sorting {

#if defined(__CUDACC__)

struct Less {
    template <class Key>
    __host__ __device__ bool operator()(Key a, Key b) const {
        return a < b;
    }
};

/// Of the bits of floats. The libraries' own order of floats is another: a merge sort with `<`
/// cannot sort NaN at all.
struct LessByOrder {
    __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
        return ordered_int_of_bits(a, KeyType::floating) <
               ordered_int_of_bits(b, KeyType::floating);
    }
};

/// Calls sort(keys, less) with keys of their own type, or their bits, and what orders them.
template <class Word, class Sort>
void compare_keys(const Job<Word>& job, const Sort& sort) {
    if (job.type == KeyType::signed_int) {
        sort(reinterpret_cast<int*>(job.keys), Less{});
    } else if (job.type == KeyType::unsigned_int) {
        sort(job.keys, Less{});
    } else {
        sort(job.keys, LessByOrder{});
    }
}

/// With scratch == nullptr: sets `bytes` to what it takes, and does nothing else.
template <class Word, class Key, class Order>
void cub_merge_call(const Job<Word>& job, void* scratch, std::size_t& bytes, Key* keys,
                    Order less) {
    const int n = static_cast<int>(job.n);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(
            cub::DeviceMergeSort::StableSortPairs(scratch, bytes, keys, job.values, n, less));
    } else {
        CUDA_CHECK(cub::DeviceMergeSort::SortKeys(scratch, bytes, keys, n, less));
    }
}

template <class Word>
void cub_merge(Job<Word> job) {
    if (job.n == 0) return;
    compare_keys(job, [&](auto* keys, auto less) {
        std::size_t bytes = 0;
        cub_merge_call(job, nullptr, bytes, keys, less);
        cub_merge_call(job, job.scratch, bytes, keys, less);
    });
}

template <class T>
void copy_if_elsewhere(const T* from, T* to, std::size_t n) {
    if (from == to) return;
    CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

/// Sorts keys of a type that the radix sort knows. With scratch == nullptr: sets `bytes` to what it
/// takes, and does nothing else.
template <class Key, class Word>
void cub_radix_call(const Job<Word>& job, void* scratch, std::size_t& bytes) {
    const int n = static_cast<int>(job.n);
    cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(job.keys),
                                reinterpret_cast<Key*>(job.spare));
    cub::DoubleBuffer<std::uint32_t> values(job.values, job.old_values);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n));
    } else {
        CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n));
    }
    if (scratch == nullptr) return;
    copy_if_elsewhere(keys.Current(), reinterpret_cast<Key*>(job.keys), job.n);
    if (kHasValue<Word>) copy_if_elsewhere(values.Current(), job.values, job.n);
}

template <class Key, class Word>
void cub_radix_as(const Job<Word>& job) {
    std::size_t bytes = 0;
    cub_radix_call<Key>(job, nullptr, bytes);
    cub_radix_call<Key>(job, job.scratch, bytes);
}

static __global__ void convert_floats_kernel(std::uint32_t* keys, unsigned n, bool back) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keys[i] = back ? bits_of_ordered_int(static_cast<int>(keys[i]), KeyType::floating)
                   : static_cast<std::uint32_t>(ordered_int_of_bits(keys[i], KeyType::floating));
}

/// Ints, unsigned ints and floats as they are; but floats with NaN or -0 among them, which cub's
/// radix sort orders in another way, as ints of the order that we want: two more sweeps.
template <class Word>
void cub_radix(Job<Word> job) {
    if (job.n == 0) return;
    if (job.type == KeyType::signed_int) return cub_radix_as<int>(job);
    if (job.type == KeyType::unsigned_int) return cub_radix_as<std::uint32_t>(job);
    if (job.plain) return cub_radix_as<float>(job);
    const auto convert = [&](bool back) {
        convert_floats_kernel<<<divide_up(job.n, kPackThreads), kPackThreads>>>(
            job.keys, static_cast<unsigned>(job.n), back);
        CUDA_CHECK_LAUNCH();
    };
    convert(false);
    cub_radix_as<int>(job);
    convert(true);
}

template <class Word>
void thrust_sort(Job<Word> job) {
    if (job.n == 0) return;
    compare_keys(job, [&](auto* keys, auto less) {
        using Key = std::remove_pointer_t<decltype(keys)>;
        // thrust takes a radix sort where the order is known to be that of the type.
        using Order = std::conditional_t<std::is_same_v<decltype(less), Less>, thrust::less<Key>,
                                         LessByOrder>;
        if constexpr (kHasValue<Word>) {
            thrust::stable_sort_by_key(thrust::device, keys, keys + job.n, job.values, Order());
        } else {
            thrust::sort(thrust::device, keys, keys + job.n, Order());
        }
    });
}

/// What the libraries ask for, in bytes.
template <class Word>
std::size_t library_bytes(std::size_t n) {
    Job<Word> job = {};
    job.n = n;
    std::size_t most = 0;
    const auto take = [&](const auto& ask) {
        std::size_t bytes = 0;
        ask(bytes);
        most = std::max(most, bytes);
    };
    for (const KeyType type : {KeyType::signed_int, KeyType::unsigned_int, KeyType::floating}) {
        job.type = type;
        compare_keys(job, [&](auto* keys, auto less) {
            take([&](std::size_t& bytes) { cub_merge_call(job, nullptr, bytes, keys, less); });
        });
    }
    take([&](std::size_t& bytes) { cub_radix_call<int>(job, nullptr, bytes); });
    take([&](std::size_t& bytes) { cub_radix_call<std::uint32_t>(job, nullptr, bytes); });
    take([&](std::size_t& bytes) { cub_radix_call<float>(job, nullptr, bytes); });
    return most;
}
#else
template <class Word>
std::size_t library_bytes(std::size_t) {
    return 0;
}
#endif

}  // namespace sorting
