// A key and its index in one 64-bit word that compares as the result is ordered.
//
// Every key type and both directions become one unsigned order, the rank: a larger rank is better.
// The composite holds the rank above the complement of the index, so that of two equal keys the one
// with the lower index is the larger. 0 is the composite of no item, and stands for "nothing".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace topk {

using Composite = unsigned long long;

/// The ranks of a key type. `flip` comes from flip(), and says which end of the order is wanted.
template <class Key>
struct Order;

template <>
struct Order<int> {
    static constexpr unsigned kLeastRank = 0;  ///< what is below is not a value
    __host__ __device__ static bool is_value(unsigned /*rank*/) { return true; }

    __host__ __device__ static unsigned flip(bool largest) {
        return largest ? 0x80000000u : 0x7FFFFFFFu;
    }

    __host__ __device__ static unsigned rank(int key, unsigned flip) {
        return static_cast<unsigned>(key) ^ flip;
    }
    __host__ __device__ static int key(unsigned rank, unsigned flip) {
        return static_cast<int>(rank ^ flip);
    }

    /// The key with the larger rank, and with the smaller one: one instruction.
    __device__ static int larger(int a, int b) { return max(a, b); }
    __device__ static int smaller(int a, int b) { return min(a, b); }
};

/// -inf < ... < -0 < +0 < ... < inf, by their bits. NaN has rank 0 in both directions: it is not a
/// value, and never in the result.
template <>
struct Order<float> {
    static constexpr unsigned kLeastRank = 1;
    __host__ __device__ static bool is_value(unsigned rank) { return rank >= kLeastRank; }

    __host__ __device__ static unsigned flip(bool largest) { return largest ? 0u : 0xFFFFFFFFu; }

    __host__ __device__ static unsigned rank(float key, unsigned flip) {
        std::uint32_t bits = 0;
        memcpy(&bits, &key, sizeof bits);
        // Of a negative number all bits are turned, since the larger magnitude is the smaller
        // number; of others the sign, so that they come above.
        const unsigned turn = (bits >> 31) != 0 ? 0xFFFFFFFFu : 0x80000000u;
        return key != key ? 0u : bits ^ turn ^ flip;
    }
    __host__ __device__ static float key(unsigned rank, unsigned flip) {
        const unsigned ordered = rank ^ flip;
        const std::uint32_t bits = (ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered;
        float key = 0;
        memcpy(&key, &bits, sizeof key);
        return key;
    }

    /// The larger and the smaller of two keys, one instruction each: -0 is below +0, and NaN is
    /// taken only where both are. On a CPU that imitates the device, fmaxf() may take either zero.
    __device__ static float larger(float a, float b) {
#if defined(__CUDACC__)
        return fmaxf(a, b);
#else
        return rank(a, flip(true)) > rank(b, flip(true)) ? a : b;
#endif
    }
    __device__ static float smaller(float a, float b) {
#if defined(__CUDACC__)
        return fminf(a, b);
#else
        return rank(a, flip(false)) > rank(b, flip(false)) ? a : b;
#endif
    }
};

__host__ __device__ inline Composite make_composite(unsigned rank, unsigned index) {
    return static_cast<Composite>(rank) << 32 | static_cast<unsigned>(~index);
}
__host__ __device__ inline unsigned rank_of(Composite composite) {
    return static_cast<unsigned>(composite >> 32);
}
__host__ __device__ inline unsigned index_of(Composite composite) {
    return ~static_cast<unsigned>(composite);
}

/// The composite of item `index`, or 0 if its key is not a value.
template <class Key>
__host__ __device__ Composite composite_of(Key key, unsigned index, unsigned flip) {
    const unsigned rank = Order<Key>::rank(key, flip);
    return Order<Key>::is_value(rank) ? make_composite(rank, index) : 0;
}

/// What is a composite already stays one: so a pass may read keys, or what another pass left of
/// them.
__host__ __device__ inline Composite composite_of(Composite item, unsigned, unsigned) {
    return item;
}

}  // namespace topk
