// 10. next_tile: the next tile is on its way while this one is tested.
//
// From the stage before: everything else. New: two tiles are in use, but only one is in registers:
// a thread requests a vector of the next tile as soon as it has copied that of this one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../topk.hpp"
#include "09_candidate_set.cuh"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

/// The first key of a tile. Tile 0 is the end of the data, which may not be full: it is the first
/// tile of its block, and no other read has to check where the data end.
__device__ inline unsigned base_of(unsigned tile, unsigned n) {
    return (tile == 0 ? (n - 1) / kTile : tile - 1) * kTile;
}

/// As test(). From then on the registers hold tile number `next`, if there is one: each vector is
/// asked for as soon as it has been copied, so that the memory is never idle.
template <class Key, class Set>
__device__ __forceinline__ unsigned test_and_load(const TopKParams<Key>& params, const Set& set,
                                                  Tile<Key>& tile, unsigned base,
                                                  KeyIndex threshold, unsigned next) {
    const bool more = next < tiles_of(params.n);
    return test(params, set, tile, base, threshold, [&](unsigned v) {
        if (more) tile.load_vector(v, params, base_of(next, params.n));
    });
}

// next_tile: as candidate_set, but the next tile is on its way while this one is tested.
// Removes: idle time of the memory.
// Remains: blocks that started late, or had many candidates, finish late.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) next_tile_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    const unsigned tiles = tiles_of(params.n);
    start<Key>(set);
    Tile<Key> tile;
    tile.load(params, base_of(blockIdx.x, params.n), params.n);
    __syncthreads();  // the set is empty
    KeyIndex threshold = 0;
    for (unsigned at = blockIdx.x; at < tiles; at += gridDim.x) {
        const unsigned next = at + gridDim.x;
        threshold = max(state.threshold, highest_threshold(params));
        const unsigned base = base_of(at, params.n);
        const unsigned pending = test_and_load(params, set, tile, base, threshold, next);
        insert_pending(params, set, base, pending, [&] {
            tile.load(params, base_of(next < tiles ? next : 0, params.n), params.n);
        });
    }
    if (append_to_list(params, set, threshold)) finish(params, set);
}

template <class Key>
void next_tile(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "next_tile");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = next_tile_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        kernel<<<std::min(max_blocks, tiles_of(params.n)), kThreads, kBytes>>>(params);
        CUDA_CHECK_LAUNCH();
    });
}

}  // namespace topk
