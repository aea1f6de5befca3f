// The order that this tutorial sorts in, on host and device: ascending, -0 before +0, NaN last.
//
// Every key is mapped to an int, one to one, so that the order of the ints is the order we want.
// Kernels then need only the min and max of ints, which lose no key and keep all of its bits; fminf
// and fmaxf would drop NaN, and do not distinguish -0 from +0.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tutorial {

__host__ __device__ inline int ordered_int(int key) { return key; }

__host__ __device__ inline int ordered_int(unsigned key) {
    return static_cast<int>(key ^ 0x80000000u);
}

/// A float's bits are sign and magnitude: with the sign bit set the order of the bits is reversed.
/// NaN with a sign would come before all numbers; so everything else moves down by as many places
/// as there are such NaN, and they end up last.
__host__ __device__ inline int ordered_int(float key) {
    unsigned bits;
    memcpy(&bits, &key, sizeof bits);
    const unsigned least_negative_nan = 0xff800001u;
    if (bits < least_negative_nan) {
        bits = ((bits >> 31) ? ~bits : bits | 0x80000000u) - 0x007fffffu;
    }
    return static_cast<int>(bits ^ 0x80000000u);
}

/// Whether `<` orders these keys as ordered_int() does: there is neither NaN nor -0 among them. A
/// library with its own order of floats, NaN somewhere and both zeros equal, then has the same
/// result.
template <class Key>
bool is_plain(const std::vector<Key>& keys) {
    if constexpr (std::is_same_v<Key, float>) {
        return std::none_of(keys.begin(), keys.end(), [](float key) {
            return key != key || (key == 0.0f && std::signbit(key));
        });
    } else {
        return true;
    }
}

/// The key with this order: the inverse of ordered_int(). Key: int, unsigned or float.
template <class Key>
__host__ __device__ Key key_from_ordered_int(int order) {
    if constexpr (std::is_same_v<Key, float>) {
        unsigned bits = static_cast<unsigned>(order) ^ 0x80000000u;
        if (bits < 0xff800001u) {
            bits += 0x007fffffu;
            bits = (bits >> 31) ? bits & 0x7fffffffu : ~bits;
        }
        Key key;
        memcpy(&key, &bits, sizeof key);
        return key;
    } else if constexpr (std::is_same_v<Key, unsigned>) {
        return static_cast<unsigned>(order) ^ 0x80000000u;
    } else {
        static_assert(std::is_same_v<Key, int>, "keys are int, unsigned or float");
        return order;
    }
}

}  // namespace tutorial
