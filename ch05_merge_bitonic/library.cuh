// The libraries' sorts: by the order of the type, or by a comparison. The radix sort takes some
// floats only as ints of that order: see cub_radix.
#pragma once

#include <cstddef>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "keys.hpp"

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

/// For the bits of floats. The libraries order floats differently: a merge sort with `<` cannot
/// sort NaN at all.
struct LessByOrder {
    __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
        return ordered_int_of_bits(a, KeyType::floating) <
               ordered_int_of_bits(b, KeyType::floating);
    }
};

/// Calls sort(keys, less) with keys of their own type, or their bits, and what compares them.
template <class SortKey, class Sort>
void compare_keys(const SortParams<SortKey>& params, const Sort& sort) {
    if (params.type == KeyType::signed_int) {
        sort(reinterpret_cast<int*>(params.keys), Less{});
    } else if (params.type == KeyType::unsigned_int) {
        sort(params.keys, Less{});
    } else {
        sort(params.keys, LessByOrder{});
    }
}

/// With scratch == nullptr: sets `bytes` to the size that it needs, and does nothing else.
template <class SortKey, class Key, class Order>
void cub_merge_call(const SortParams<SortKey>& params, void* scratch, std::size_t& bytes, Key* keys,
                    Order less) {
    const int n = static_cast<int>(params.n);
    if constexpr (kHasValue<SortKey>) {
        CUDA_CHECK(
            cub::DeviceMergeSort::StableSortPairs(scratch, bytes, keys, params.values, n, less));
    } else {
        CUDA_CHECK(cub::DeviceMergeSort::SortKeys(scratch, bytes, keys, n, less));
    }
}

template <class SortKey>
void cub_merge(SortParams<SortKey> params) {
    if (params.n == 0) return;
    compare_keys(params, [&](auto* keys, auto less) {
        std::size_t bytes = 0;
        cub_merge_call(params, nullptr, bytes, keys, less);
        cub_merge_call(params, params.scratch, bytes, keys, less);
    });
}

template <class T>
void copy_if_elsewhere(const T* from, T* to, std::size_t n) {
    if (from == to) return;
    CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

/// Sorts keys of a type that the radix sort knows. With scratch == nullptr: sets `bytes` to the
/// size that it needs, and does nothing else.
template <class Key, class SortKey>
void cub_radix_call(const SortParams<SortKey>& params, void* scratch, std::size_t& bytes) {
    const int n = static_cast<int>(params.n);
    cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(params.keys),
                                reinterpret_cast<Key*>(params.spare));
    auto* const other_values = reinterpret_cast<std::uint32_t*>(params.spare) + params.n;
    cub::DoubleBuffer<std::uint32_t> values(params.values, other_values);
    if constexpr (kHasValue<SortKey>) {
        CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n));
    } else {
        CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n));
    }
    if (scratch == nullptr) return;
    copy_if_elsewhere(keys.Current(), reinterpret_cast<Key*>(params.keys), params.n);
    if (kHasValue<SortKey>) copy_if_elsewhere(values.Current(), params.values, params.n);
}

template <class Key, class SortKey>
void cub_radix_as(const SortParams<SortKey>& params) {
    std::size_t bytes = 0;
    cub_radix_call<Key>(params, nullptr, bytes);
    cub_radix_call<Key>(params, params.scratch, bytes);
}

static __global__ void convert_floats_kernel(std::uint32_t* keys, unsigned n, bool back) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keys[i] = back ? bits_of_ordered_int(static_cast<int>(keys[i]), KeyType::floating)
                   : static_cast<std::uint32_t>(ordered_int_of_bits(keys[i], KeyType::floating));
}

/// Ints, unsigned ints and most floats are sorted as they are. If there are NaN or -0 among them,
/// which cub's radix sort orders differently, they are sorted as ints in the order that we want:
/// two more sweeps.
template <class SortKey>
void cub_radix(SortParams<SortKey> params) {
    if (params.n == 0) return;
    if (params.type == KeyType::signed_int) return cub_radix_as<int>(params);
    if (params.type == KeyType::unsigned_int) return cub_radix_as<std::uint32_t>(params);
    if (params.plain) return cub_radix_as<float>(params);
    const unsigned n = static_cast<unsigned>(params.n);
    const auto convert = [&](bool back) {
        convert_floats_kernel<<<divide_up(n, kPackThreads), kPackThreads>>>(params.keys, n, back);
        CUDA_CHECK_LAUNCH();
    };
    convert(false);
    cub_radix_as<int>(params);
    convert(true);
}

template <class SortKey>
void thrust_sort(SortParams<SortKey> params) {
    if (params.n == 0) return;
    compare_keys(params, [&](auto* keys, auto less) {
        using Key = std::remove_pointer_t<decltype(keys)>;
        // thrust uses a radix sort if it knows that the order is that of the type.
        using Order = std::conditional_t<std::is_same_v<decltype(less), Less>, thrust::less<Key>,
                                         LessByOrder>;
        if constexpr (kHasValue<SortKey>) {
            thrust::stable_sort_by_key(thrust::device, keys, keys + params.n, params.values,
                                       Order());
        } else {
            thrust::sort(thrust::device, keys, keys + params.n, Order());
        }
    });
}

/// What the libraries ask for, in bytes.
template <class SortKey>
std::size_t library_bytes(std::size_t n) {
    SortParams<SortKey> params = {};
    params.n = n;
    std::size_t most = 0;
    const auto take = [&](const auto& ask) {
        std::size_t bytes = 0;
        ask(bytes);
        most = std::max(most, bytes);
    };
    for (const KeyType type : {KeyType::signed_int, KeyType::unsigned_int, KeyType::floating}) {
        params.type = type;
        compare_keys(params, [&](auto* keys, auto less) {
            take([&](std::size_t& bytes) { cub_merge_call(params, nullptr, bytes, keys, less); });
        });
    }
    take([&](std::size_t& bytes) { cub_radix_call<int>(params, nullptr, bytes); });
    take([&](std::size_t& bytes) { cub_radix_call<std::uint32_t>(params, nullptr, bytes); });
    take([&](std::size_t& bytes) { cub_radix_call<float>(params, nullptr, bytes); });
    return most;
}

template <class SortKey>
std::vector<Stage<Launch<SortKey>>> library_stages() {
    return {
        {{"cub_merge", "cub::DeviceMergeSort", RowKind::library}, cub_merge<SortKey>},
        {{"cub_radix", "cub::DeviceRadixSort; floats with NaN or -0 converted before and after",
          RowKind::library},
         cub_radix<SortKey>},
        {{"thrust", "thrust::sort: radix for ints; allocates its memory itself", RowKind::library},
         thrust_sort<SortKey>},
    };
}

#else

template <class SortKey>
std::size_t library_bytes(std::size_t) {
    return 0;
}

template <class SortKey>
std::vector<Stage<Launch<SortKey>>> library_stages() {
    return {};
}

#endif

}  // namespace sorting
