// 11. one_read: a counter hands out the tiles, so that all blocks finish together.
//
// From the stage before: everything else. New: thread 0 takes the number of a tile two tiles before
// the block needs it, and reads the other blocks' threshold at the same time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../topk.hpp"
#include "09_candidate_set.cuh"
#include "10_next_tile.cuh"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

/// The tile with this number; past the last one if there is none. The blocks' first tiles are
/// spread over all the data, so that no order of the keys gives a bad start. The others follow the
/// order of the data: then a set's entries usually have lower indices.
__device__ inline unsigned tile_of(unsigned number, unsigned tiles) {
    const unsigned distance = tiles / gridDim.x;  // of the first tiles
    if (number < gridDim.x) return number * distance;
    const unsigned later = number - gridDim.x;
    return later + (distance > 1 ? min(later / (distance - 1) + 1, gridDim.x) : gridDim.x);
}

/// The first key of this block's first tile.
__device__ inline unsigned first_base(unsigned n) {
    return base_of(tile_of(blockIdx.x, tiles_of(n)), n);
}

/// Takes tile after tile until there are no more, and collects in the set what reaches the
/// threshold. The first tile is already in `tile`. Returns the highest threshold known.
template <class Key, class Set>
__device__ __forceinline__ KeyIndex stream(const TopKParams<Key>& params, const Set& set,
                                           Tile<Key>& tile) {
    BlockState* const state = set.state;
    Control* const control = params.scratch.control;
    const unsigned tiles = tiles_of(params.n);
    unsigned at = tile_of(blockIdx.x, tiles);
    unsigned next = tile_of(gridDim.x + blockIdx.x, tiles);
    KeyIndex threshold = state->threshold;
    // What thread 0 requests in one turn is used in the next, so that no thread waits.
    unsigned ticket = 0;
    KeyIndex others_threshold = 0;
    const auto ask = [&] {
        if (threadIdx.x != 0 || next >= tiles) return;
        ticket = 2 * gridDim.x + atomicAdd(&control->taken, 1u);
        others_threshold = highest_threshold(params);
    };
    ask();
    for (unsigned turn = 0; at < tiles; turn = 1 - turn) {
        const unsigned base = base_of(at, params.n);
        const unsigned pending = test_and_load(params, set, tile, base, threshold, next);
        if (threadIdx.x == 0) {
            state->ticket[turn] = tile_of(ticket, tiles);
            state->others_threshold[turn] = others_threshold;
        }
        ask();
        insert_pending(params, set, base, pending, [&] {
            tile.load(params, base_of(next < tiles ? next : 0, params.n), params.n);
        });
        threshold = max(state->threshold, state->others_threshold[turn]);
        at = next;
        next = state->ticket[turn];
    }
    return threshold;
}

// one_read: as next_tile, but blocks take tiles from a counter.
// Removes: the wait for blocks that have fallen behind.
// Remains: the threshold knows only earlier keys: what every block collects first is thrown away.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) one_read_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    start<Key>(set);
    Tile<Key> tile;
    tile.load(params, first_base(params.n), params.n);
    __syncthreads();  // the set is empty
    const KeyIndex threshold = stream(params, set, tile);
    if (append_to_list(params, set, threshold)) finish(params, set);
}

template <class Key>
void one_read(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "one_read");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = one_read_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        kernel<<<std::min(max_blocks, tiles_of(params.n)), kThreads, kBytes>>>(params);
        CUDA_CHECK_LAUNCH();
    });
}

}  // namespace topk
