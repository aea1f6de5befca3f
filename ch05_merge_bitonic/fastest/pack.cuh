// Keys of three types, alone or with a value each, become what the stages sort, and keys again at
// the end. Every stage of the ladder is packed, and so is bitonic_best; sample_best packs where it
// loads keys, and unpacks where it stores them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"

namespace sorting {

/// Packs the keys, and copies the values.
template <class SortKey>
__global__ void pack_kernel(const std::uint32_t* keys, const std::uint32_t* values, unsigned n,
                            KeyType type, SortKey* packed, std::uint32_t* old_values) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    packed[i] = make_sort_key<SortKey>(ordered_int_of_bits(keys[i], type), i);
    if constexpr (kHasValue<SortKey>) old_values[i] = values[i];
}

/// Where what has been sorted is unpacked to.
struct Output {
    KeyType type;
    const std::uint32_t* old_values;
    std::uint32_t *keys, *values;

    /// The part that begins at index `begin`.
    __device__ Output from(unsigned begin) const {
        return {type, old_values, keys + begin, values == nullptr ? nullptr : values + begin};
    }
};

template <class SortKey>
Output output_of(const SortParams<SortKey>& params) {
    return {params.type, params.old_values, params.keys, params.values};
}

/// Unpacks `key` to index i: the key's bits, and its value.
template <class SortKey>
__device__ void store_sorted(SortKey key, unsigned i, const Output& output) {
    output.keys[i] = bits_of_ordered_int(ordered_int_in(key), output.type);
    if constexpr (kHasValue<SortKey>) {
        output.values[i] = output.old_values[static_cast<std::uint32_t>(key)];
    }
}

template <class SortKey>
__global__ void unpack_kernel(const SortKey* sorted, unsigned n, Output output) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store_sorted(sorted[i], i, output);
}

constexpr unsigned kPackThreads = 256;

/// Fills params.packed. Ints alone are packed as they are.
template <class SortKey>
void pack(const SortParams<SortKey>& params) {
    const unsigned n = static_cast<unsigned>(params.n);
    if (n == 0 || (!kHasValue<SortKey> && params.type == KeyType::signed_int)) return;
    pack_kernel<<<divide_up(n, kPackThreads), kPackThreads>>>(
        params.keys, params.values, n, params.type, params.packed, params.old_values);
    CUDA_CHECK_LAUNCH();
}

/// What has been sorted, wherever it is, becomes the sorted keys and values.
template <class SortKey>
void unpack(const SortParams<SortKey>& params, const SortKey* sorted) {
    const unsigned n = static_cast<unsigned>(params.n);
    const bool in_place = !kHasValue<SortKey> && sorted == params.packed;
    if (n == 0 || (in_place && params.type == KeyType::signed_int)) return;
    unpack_kernel<<<divide_up(n, kPackThreads), kPackThreads>>>(sorted, n, output_of(params));
    CUDA_CHECK_LAUNCH();
}

/// A row for a stage of the ladder: packs the keys, sorts them, and unpacks the result.
template <class SortKey, auto sort>
void packed(SortParams<SortKey> params) {
    SortKey* const keys = params.packed;
    const unsigned n = static_cast<unsigned>(params.n);
    pack(params);
    if constexpr (std::is_invocable_v<decltype(sort), SortKey*, unsigned>) {
        sort(keys, n);
        unpack(params, keys);
    } else if constexpr (std::is_invocable_v<decltype(sort), SortKey*, SortKey*, unsigned>) {
        unpack(params, sort(keys, params.spare, n));
    } else {
        unpack(params, sort(keys, params.spare, n, params.scratch));
    }
}

}  // namespace sorting
