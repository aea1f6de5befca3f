// Keys of three types, alone or with a value each, become what the stages sort, and keys again at
// the end. Up to register_buckets a stage packs all keys first; from few_ways on keys are packed
// where they are loaded, and unpacked where they are stored.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"

namespace sorting {

/// The keys that a stage sorts, and the values; or the place to which it unpacks them.
struct Arrays {
    std::uint32_t *keys, *values;  ///< nullptr if keys have no values
    KeyType type;

    /// Key i, packed.
    template <class SortKey>
    __device__ SortKey load(unsigned i) const {
        return make_sort_key<SortKey>(ordered_int_of_bits(keys[i], type),
                                      kHasValue<SortKey> ? values[i] : 0);
    }

    /// Unpacks `key` to index i.
    template <class SortKey>
    __device__ void store(SortKey key, unsigned i) const {
        keys[i] = bits_of_ordered_int(ordered_int_in(key), type);
        if constexpr (kHasValue<SortKey>) values[i] = static_cast<std::uint32_t>(key);
    }
};

/// Key i, packed, of arrays or of keys that are packed.
template <class SortKey>
__device__ SortKey load_key(const Arrays& from, unsigned i) {
    return from.load<SortKey>(i);
}
template <class SortKey>
__device__ SortKey load_key(const SortKey* from, unsigned i) {
    return from[i];
}

template <class SortKey>
__global__ void pack_kernel(Arrays arrays, unsigned n, SortKey* packed) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) packed[i] = arrays.load<SortKey>(i);
}

template <class SortKey>
__global__ void unpack_kernel(const SortKey* sorted, unsigned n, Arrays arrays) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) arrays.store(sorted[i], i);
}

template <class SortKey>
Arrays arrays_of(const SortParams<SortKey>& params) {
    return {params.keys, params.values, params.type};
}

constexpr unsigned kPackThreads = 256;

/// Fills params.packed. Plain ints are packed as they are.
template <class SortKey>
void pack(const SortParams<SortKey>& params) {
    const unsigned n = static_cast<unsigned>(params.n);
    if (n == 0 || (!kHasValue<SortKey> && params.type == KeyType::signed_int)) return;
    pack_kernel<<<divide_up(n, kPackThreads), kPackThreads>>>(arrays_of(params), n, params.packed);
    CUDA_CHECK_LAUNCH();
}

/// Turns the sorted result, wherever it is, into the sorted keys and values.
template <class SortKey>
void unpack(const SortParams<SortKey>& params, const SortKey* sorted) {
    const unsigned n = static_cast<unsigned>(params.n);
    const bool in_place = !kHasValue<SortKey> && sorted == params.packed;
    if (n == 0 || (in_place && params.type == KeyType::signed_int)) return;
    unpack_kernel<<<divide_up(n, kPackThreads), kPackThreads>>>(sorted, n, arrays_of(params));
    CUDA_CHECK_LAUNCH();
}

/// A row for a stage that sorts packed keys: packs them, sorts them, and unpacks the result.
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
