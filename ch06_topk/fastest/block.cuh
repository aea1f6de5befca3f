// What all stages of this folder share: the size of a block and its launch, sums and maxima of a
// warp, and the tile of keys that a block reads at once.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../common/harness/alignment.hpp"
#include "../../common/harness/cooperative_launch.hpp"
#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../../common/harness/resident_blocks.hpp"
#include "../topk.hpp"

namespace topk {

constexpr unsigned kThreads = 512;  ///< per block
constexpr unsigned kWarps = kThreads / kWarpSize;
constexpr unsigned kBlocksPerSm = 2;  ///< so that 64 registers per thread suffice

// ---- A warp's sums and maximum ---------------------------------------------------------------

// In every lane. One instruction from compute capability 8.0 on, five shuffles before.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

__device__ inline unsigned warp_sum(unsigned mine) {
#pragma unroll
    for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(kFullMask, mine, distance);
    }
    return mine;
}

__device__ inline unsigned warp_max(unsigned mine) {
#pragma unroll
    for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    return mine;
}

#else

__device__ inline unsigned warp_sum(unsigned mine) { return __reduce_add_sync(kFullMask, mine); }
__device__ inline unsigned warp_max(unsigned mine) { return __reduce_max_sync(kFullMask, mine); }

#endif

/// Of this lane's number and those of the lanes before.
__device__ inline unsigned warp_prefix_sum(unsigned sum) {
#pragma unroll
    for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
        const unsigned other = __shfl_up_sync(kFullMask, sum, distance);
        if (threadIdx.x % kWarpSize >= distance) sum += other;
    }
    return sum;
}

// ---- A tile: the keys that a block reads at once, 16 per thread, in its registers -------------

constexpr unsigned kVectors = 4;                     ///< 16-byte reads in flight per thread
constexpr unsigned kTile = kThreads * kVectors * 4;  ///< keys

__host__ __device__ inline unsigned tiles_of(unsigned n) { return (n - 1) / kTile + 1; }

/// The keys of one thread. A warp's 512 are adjacent, so that warps, vectors, lanes and the keys of
/// a vector, in this order, follow the order of the data.
template <class Key>
struct Tile {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectors];

    /// The position in the tile of this thread's key i.
    __device__ static unsigned offset(unsigned i) {
        return threadIdx.x / kWarpSize * (kWarpSize * kVectors * 4) + i / 4 * (kWarpSize * 4) +
               threadIdx.x % kWarpSize * 4 + i % 4;
    }

    /// Reads vector v of the full tile that begins at key `base`.
    __device__ __forceinline__ void load_vector(unsigned v, const TopKParams<Key>& params,
                                                unsigned base) {
        vectors[v] = *reinterpret_cast<const Vector*>(params.keys + base + offset(4 * v));
    }

    /// Reads the tile that begins at key `base`; anything from `end` on gets radix key 0.
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

// ---- Launches ----------------------------------------------------------------------------------

/// The largest grid whose blocks are all resident at once, kBlocksPerSm of them or fewer on each
/// multiprocessor.
template <class Kernel>
unsigned resident_blocks(Kernel* kernel, std::size_t bytes) {
    return std::min(tutorial::resident_blocks(kernel, kThreads, bytes), kBlocksPerSm * sm_count());
}

/// A cooperative launch promises that all blocks are resident, as a grid-wide barrier needs.
template <class... Parameters>
void launch_cooperative(void (*kernel)(Parameters...), unsigned blocks, std::size_t bytes,
                        Parameters... parameters) {
    void* arguments[] = {&parameters...};
    CUDA_CHECK(launch_cooperatively(kernel, dim3(blocks), dim3(kThreads), arguments, bytes));
}

}  // namespace topk
