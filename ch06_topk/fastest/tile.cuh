// A tile: the keys that a block reads at once, 16 per thread, in the registers.
//
// From the ladder: 16-byte reads (vector_queue).
#pragma once

#include "candidate_set.cuh"

namespace topk {

constexpr unsigned kVectors = 4;                     ///< 16-byte reads in flight per thread
constexpr unsigned kTile = kThreads * kVectors * 4;  ///< keys

__host__ __device__ inline unsigned tiles_of(unsigned n) { return (n - 1) / kTile + 1; }

/// The keys of one thread. A warp's 512 lie side by side, so that warps, vectors, lanes and the
/// keys of a vector, in this order, are the order of the data.
template <class Key>
struct Tile {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectors];

    /// Where in the tile this thread's key i is.
    __device__ static unsigned offset(unsigned i) {
        return threadIdx.x / 32 * (32 * kVectors * 4) + i / 4 * (32 * 4) + threadIdx.x % 32 * 4 +
               i % 4;
    }

    /// Reads vector v of the tile that begins at key `base`, and is full.
    __device__ __forceinline__ void load_vector(unsigned v, const TopKParams<Key>& params,
                                                unsigned base) {
        vectors[v] = *reinterpret_cast<const Vector*>(params.keys + base + offset(4 * v));
    }

    /// Reads the tile that begins at key `base`; what lies at `end` or behind it has radix key 0.
    __device__ __forceinline__ void load(const TopKParams<Key>& params, unsigned base,
                                         unsigned end) {
        const auto key = [&](unsigned i) {
            return offset(i) < end - base ? params.keys[base + offset(i)]
                                          : KeyOrder<Key>::key(0, params.order_mask);
        };
        const bool is_full = end - base >= kTile;
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v) {
            if (is_full) {
                load_vector(v, params, base);
            } else {
                vectors[v] = {key(4 * v), key(4 * v + 1), key(4 * v + 2), key(4 * v + 3)};
            }
        }
    }

    /// The radix key of key i.
    __device__ __forceinline__ unsigned radix_key(unsigned i, unsigned order_mask) const {
        const Vector& four = vectors[i / 4];
        const Key key = i % 4 == 0 ? four.x : i % 4 == 1 ? four.y : i % 4 == 2 ? four.z : four.w;
        return KeyOrder<Key>::radix_key(key, order_mask);
    }

    /// The best radix key of vector v.
    __device__ __forceinline__ unsigned best_of_vector(unsigned v, unsigned order_mask) const {
        unsigned best = 0;
#pragma unroll
        for (unsigned i = 4 * v; i < 4 * v + 4; ++i) best = max(best, radix_key(i, order_mask));
        return best;
    }
};

}  // namespace topk
