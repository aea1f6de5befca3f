// bitonic_best: the steps within a tile are also done in registers. From the ladder: the network of
// bitonic_block, and the passes of bitonic_registers, here of up to five steps. New: windows,
// and their ways through shared memory.
#pragma once

#include <cstddef>

#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- Bitonic sort: all steps between registers ------------------------------------------------

/// Half-cleaners of distance from `max_distance` down to 1 between the registers of a thread.
template <int kKeys, class SortKey>
__device__ void clean_registers_below(SortKey (&key)[kKeys], unsigned max_distance) {
#pragma unroll
    for (unsigned distance = kKeys / 2; distance > 0; distance /= 2) {
        if (distance <= max_distance) {
#pragma unroll
            for (unsigned i = 0; i < kKeys; ++i) {
                if ((i & distance) == 0) compare_exchange(key[i], key[i + distance], false);
            }
        }
    }
}

/// Half-cleaners of all distances below the tile; keys before them a block's threads apart in the
/// registers, those of distance up to max_distance * S::kThreads are still to be done. Blocked
/// afterwards.
template <class S>
__device__ void clean_tile(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile,
                           unsigned max_distance) {
    using SortKey = typename S::SortKey;
    static_assert(S::kThreads <= S::kWindow, "a window takes over where registers end");
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    clean_registers_below(key, max_distance);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i)
        tile[padded_index<SortKey>(i * S::kThreads + threadIdx.x)] = key[i];
    __syncthreads();  // written by other warps than will read
    load_striped(key, tile, out);
    clean_window(key, tile, out);
}

// bitonic_best: a tile's steps are done in registers, in three parts: keys a block's threads
// apart, keys a warp apart, neighbours; shared memory only carries keys from part to part.
// Removes: all barriers but two per level; all shared reads and writes but four per key and level.
// Remains: log2(n) (log2(n) + 1) / 2 steps; a sweep for every five of great distance.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    bitonic_best_kernel(typename S::SortKey* keys, unsigned n, bool sort) {
    using SortKey = typename S::SortKey;
    SortKey* tile = shared_tile<SortKey>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned begin = blockIdx.x * S::kTile;
    SortKey key[S::kKeys];
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + i * S::kThreads + threadIdx.x;
        key[i] = at < n ? keys[at] : kLast<SortKey>;
    }
    if (sort) {
        sort_warp(key, tile, out);
#pragma unroll 1
        for (unsigned run = S::kWindow; run < S::kTile; run *= 2) {
            store_blocked(key, tile, out);
            __syncthreads();  // the windows are written before others read them
#pragma unroll
            for (unsigned i = 0; i < S::kKeys; ++i) {
                const unsigned at = i * S::kThreads + threadIdx.x;
                key[i] = tile[padded_index<SortKey>((at & run) == 0 ? at : at ^ (run - 1))];
            }
            __syncthreads();  // all have read before the tile is written again
            clean_tile<S>(key, tile, run / S::kThreads);
        }
    } else {
        clean_tile<S>(key, tile, S::kKeys);
    }
    to_striped(key, tile, out);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + out + i * kWarpSize + threadIdx.x % kWarpSize;
        if (at < n) keys[at] = key[i];
    }
}

/// Sorts tiles of this shape; then, for each level i above them, the steps of great distance are
/// passes as in bitonic_registers, of up to five steps, and the tiles do the rest.
template <class S>
void bitonic_with_shape(const SortParams<typename S::SortKey>& params) {
    const unsigned n = static_cast<unsigned>(params.n);
    if (n == 0) return;
    pack(params);
    const unsigned tiles = divide_up(n, S::kTile);
    allow_shared(bitonic_best_kernel<S>, S::kBytes);
    bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(params.packed, n, true);
    CUDA_CHECK_LAUNCH();
    for (std::size_t i = 2 * S::kTile; i < 2 * params.n; i *= 2) {
        bitonic_passes<5>(params.packed, n, static_cast<unsigned>(i), S::kTile);
        bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(params.packed, n, false);
        CUDA_CHECK_LAUNCH();
    }
    unpack(params, params.packed);
}

/// In the shape that is best for so many keys.
template <class SortKey>
void bitonic_best(SortParams<SortKey> params) {
    using Small = Shape<SortKey, 8, 8>;
    if (params.n <= Small::kTile) return bitonic_with_shape<Small>(params);
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        if (params.n <= (std::size_t{1} << 20)) {
            bitonic_with_shape<typename Shapes::BitonicMiddle>(params);
        } else {
            bitonic_with_shape<typename Shapes::BitonicLarge>(params);
        }
    });
}

}  // namespace sorting
