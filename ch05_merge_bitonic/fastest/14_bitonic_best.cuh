// bitonic_best: the steps within a tile are also done in registers. From bitonic_registers: the
// passes, here of up to five steps. New: windows, and their path through shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../../common/harness/device_info.hpp"
#include "../../common/harness/resident_blocks.hpp"
#include "../keys.hpp"
#include "10_bitonic_registers.cuh"
#include "pack.cuh"
#include "shapes.cuh"
#include "tiles.cuh"
#include "windows.cuh"

namespace sorting {

/// Half-cleaners of all distances below the tile; before them, a thread's keys are kThreads apart.
/// Striped afterwards.
template <class S>
__device__ void clean_tile(typename S::SortKey (&key)[S::kKeys], typename S::SortKey* tile) {
    using SortKey = typename S::SortKey;
    static_assert(S::kThreads <= S::kWindow, "a window takes over where registers end");
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    clean_registers(key);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        tile[padded_index<SortKey>(i * S::kThreads + threadIdx.x)] = key[i];
    }
    __syncthreads();  // warps read what others wrote
    load_striped(key, tile, out);
    clean_window(key, tile, out);
    to_striped(key, tile, out);
}

// bitonic_best: a tile's steps are done in registers, in three parts: keys kThreads apart, keys a
// warp apart, neighbours; shared memory only carries keys from part to part.
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
        sort_tile<S>(key, tile, S::kTile);
    } else {
        clean_tile<S>(key, tile);
    }
    store_window(key, keys, begin + out, n);
}

/// Sorts tiles of this shape; then, for each level above them, passes do the steps of great
/// distance, and the tiles do the rest.
template <class S>
void bitonic_with_shape(SortParams<typename S::SortKey> params) {
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

/// In the shape that is best for that many keys.
template <class SortKey>
void bitonic_best(SortParams<SortKey> params) {
    if (params.n <= (std::size_t{1} << 11)) {
        return bitonic_with_shape<Shape<SortKey, 8, 8>>(params);
    }
    if (params.n <= (std::size_t{1} << 20)) {
        return bitonic_with_shape<Shape<SortKey, 16, 8>>(params);
    }
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        bitonic_with_shape<typename decltype(shapes)::LargeBucket>(params);
    });
}

}  // namespace sorting
