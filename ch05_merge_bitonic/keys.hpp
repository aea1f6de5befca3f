// What goes into a sort of this chapter, and what comes out of it: keys of three types, alone or
// with a value each. fastest/pack.cuh packs them into what the stages sort, and unpacks them at the
// end.
//
// A key is 32 bits: an int, an unsigned or a float. It is mapped, one to one, to an int
// with the same order. A key alone is sorted as that int. A key with a value is sorted as 64 bits,
// a KeyValue: that int above, the value below. So equal keys are sorted by their values, and values
// that ascend in the input, such as indices, make any sort stable.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../common/harness/key_order.hpp"

namespace sorting {

using namespace tutorial;

/// Indices have 32 bits, which must also hold twice the length of a run.
constexpr std::size_t kMaxKeys = std::size_t{1} << 30;

// ---- Keys of three types -----------------------------------------------------------------------

enum class KeyType { signed_int, unsigned_int, floating };

template <class Key>
constexpr KeyType kTypeOf = std::is_same_v<Key, float>      ? KeyType::floating
                            : std::is_same_v<Key, unsigned> ? KeyType::unsigned_int
                                                            : KeyType::signed_int;

/// The int with the order of the key whose bits these are.
__host__ __device__ inline int ordered_int_of_bits(std::uint32_t bits, KeyType type) {
    if (type == KeyType::signed_int) return static_cast<int>(bits);
    if (type == KeyType::unsigned_int) return ordered_int(bits);
    float key;
    memcpy(&key, &bits, sizeof key);
    return ordered_int(key);
}

/// The bits of the key whose ordered int this is.
__host__ __device__ inline std::uint32_t bits_of_ordered_int(int ordered, KeyType type) {
    if (type == KeyType::signed_int) return static_cast<std::uint32_t>(ordered);
    if (type == KeyType::unsigned_int) return key_from_ordered_int<unsigned>(ordered);
    const float key = key_from_ordered_int<float>(ordered);
    std::uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    return bits;
}

// ---- What is sorted: int or KeyValue -----------------------------------------------------------

using KeyValue = long long;  ///< a key and its value

template <class SortKey>
constexpr bool kHasValue = std::is_same_v<SortKey, KeyValue>;

/// Fills the places past the last key: no key is greater.
template <class SortKey>
constexpr SortKey kLast = std::numeric_limits<SortKey>::max();

/// No key is less.
template <class SortKey>
constexpr SortKey kFirst = std::numeric_limits<SortKey>::min();

template <class SortKey>
__host__ __device__ SortKey make_sort_key(int ordered, std::uint32_t value) {
    if constexpr (kHasValue<SortKey>) {
        const unsigned long long high = static_cast<unsigned>(ordered);
        return static_cast<SortKey>(high << 32 | value);
    } else {
        return ordered;
    }
}

template <class SortKey>
__host__ __device__ int ordered_int_in(SortKey key) {
    if constexpr (kHasValue<SortKey>) {
        return static_cast<int>(key >> 32);
    } else {
        return key;
    }
}

/// n keys, and values with KeyValue, to be sorted in place. Device memory; for the host's row
/// `keys` and `values` are host memory, and the rest is not used.
template <class SortKey>
struct SortParams {
    std::uint32_t* keys;    ///< bits of keys of any type
    std::uint32_t* values;  ///< nullptr with ints
    std::size_t n;
    KeyType type;
    SortKey* packed;     ///< n of them; with ints this is the memory of the keys
    SortKey* spare;      ///< n more
    void* scratch;       ///< scratch_bytes(n) of experiment.hpp, 16-byte aligned
    bool plain = false;  ///< `<` orders the keys as ordered_int_of_bits() does: for the libraries
    unsigned seed = 0;   ///< sample_best: chooses the positions of its sample. Nobody can choose
                         ///< keys against a seed that they do not know.
};

/// A row of the table: sorts what its parameters say.
template <class SortKey>
using Launch = void (*)(SortParams<SortKey>);

}  // namespace sorting
