// best, for few keys and k up to kMaxSmallK: no block waits for another, and every step is short.
//
// From the ladder: the last block merges (one_launch). Adds: a block has one tile and a threshold
// of its own (tile_threshold.cuh); what reaches it is put in order by counting, and so are the
// lists.
#pragma once

#include "tile_threshold.cuh"

namespace topk {

constexpr unsigned kMaxFewTiles = 8;  ///< blocks

// best, for few keys: a block has one tile, and a threshold of its own. The last block merges.
template <class Key, unsigned kGroups>
__global__ void __launch_bounds__(kThreads, 1) best_few_kernel(TopKParams<Key> params) {
    using Set = CandidateSet<false, kSlotsForSmallK>;
    static_assert(kMaxFewTiles * kMaxSmallK <= Set::kSlots);
    constexpr unsigned kMax = 2 * kGroups;  // candidates, usually
    __shared__ KeyIndex slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ alignas(16) unsigned bests[kGroups];
    __shared__ unsigned block_threshold;
    const Set set{slots, &state, params.k};
    const unsigned base = base_of(blockIdx.x, params.n);
    if (threadIdx.x == 0) {
        state.candidates = 0;
        block_threshold = 0;
    }
    OneTile<Key> tile;
    tile.load(params, base);
    const unsigned threshold =
        threshold_of_groups<kGroups>(tile.best_radix_key(params), params.k, bests, block_threshold);
    const auto add = [&](unsigned which) {  // one bit per key
        if (which == 0) return;
        unsigned position = atomicAdd(&state.candidates, __popc(which));
#pragma unroll
        for (unsigned i = 0; i < OneTile<Key>::kKeys; ++i) {
            if ((which >> i & 1) == 0) continue;
            if (position >= Set::kSlots) return;
            slots[position++] = make_key_index(tile.radix_key(params, i), base + tile.offset(i));
        }
    };
    unsigned at_or_above = tile.at_or_above(params, base, threshold);
    add(at_or_above);
    __syncthreads();  // all candidates are in, if there is room
    unsigned candidates = state.candidates;
    if (candidates > Set::kSlots) {
        // Many keys are equal: of those at the threshold the first are enough, found the same way.
        __syncthreads();  // all threads know
        if (threadIdx.x == 0) state.candidates = block_threshold = 0;
        unsigned equal = at_or_above & ~tile.at_or_above(params, base, threshold + 1);
        if (threshold == ~0u) equal = at_or_above;
        const unsigned first = equal != 0 ? ~tile.first_of(params, threshold) : 0;
        const unsigned last =
            ~threshold_of_groups<kGroups>(first, params.k, bests, block_threshold);
#pragma unroll
        for (unsigned i = 0; i < OneTile<Key>::kKeys; ++i) {
            if ((equal >> i & 1) != 0 && tile.offset(i) > last) at_or_above &= ~(1u << i);
        }
        add(at_or_above);
        __syncthreads();  // all candidates are in, if there is room
        candidates = state.candidates;
    }
    if (candidates > kMax) {
        __syncthreads();  // all threads know
        if (candidates > Set::kSlots) {
            start(set);
            Tile<Key> again;
            again.load(params, base);
            start_from(set, KeyIndex{threshold} << 32);
            stream(params, set, again);
        } else if (threadIdx.x == 0) {
            state.threshold = 0;
        }
        set.keep_best();
        candidates = min(state.candidates, params.k);
    }
    const unsigned count = min(candidates, params.k);
    if (gridDim.x == 1) {
        in_order<kMax>(slots, candidates, [&](unsigned position, KeyIndex candidate) {
            if (position < params.k) params.result.write(position, candidate, params.order_mask);
        });
        if (threadIdx.x == 0) {
            *params.result.count = count;
            params.scratch.control->threshold = 0;
        }
        return;
    }
    KeyIndex* const list = params.scratch.list;
    in_order<kMax>(slots, candidates, [&](unsigned position, KeyIndex candidate) {
        if (position < params.k) list[blockIdx.x * params.k + position] = candidate;
    });
    if (threadIdx.x >= count && threadIdx.x < params.k)
        list[blockIdx.x * params.k + threadIdx.x] = 0;
    __syncthreads();  // the block's list is written
    if (threadIdx.x == 0) {
        __threadfence();  // release: it is visible before the ticket is
        const unsigned long long before = atomicAdd(
            &params.scratch.control->progress, static_cast<unsigned long long>(count) << 32 | 1);
        __threadfence();  // acquire: whoever sees a block's ticket sees its list
        state.last = static_cast<unsigned>(before) == gridDim.x - 1;
        state.listed = static_cast<unsigned>(before >> 32) + count;
    }
    __syncthreads();  // all threads know
    if (!state.last) return;
    const unsigned entries = gridDim.x * params.k;
    for (unsigned i = threadIdx.x; i < entries; i += kThreads) slots[i] = __ldcg(&list[i]);
    __syncthreads();  // all lists are here
    // Two threads count for one entry, each in every other list.
    for (unsigned first = 0; first < entries; first += kThreads / 2) {
        const unsigned at = first + threadIdx.x / 2;
        const KeyIndex entry = at < entries ? slots[at] : 0;
        unsigned position = 0;
#pragma unroll
        for (unsigned i = 0; i < kMaxFewTiles / 2; ++i) {
            const unsigned from = 2 * i + threadIdx.x % 2;
            if (from < gridDim.x) position += better_in(slots + from * params.k, params.k, entry);
        }
        position += __shfl_xor_sync(kFullMask, position, 1);
        if (threadIdx.x % 2 == 0 && entry != 0 && position < params.k) {
            params.result.write(position, entry, params.order_mask);
        }
    }
    if (threadIdx.x == 0) {
        *params.result.count = min(state.listed, params.k);
        params.scratch.control->threshold = 0;
        params.scratch.control->progress = 0;
    }
}

template <class Key>
void launch_few(const TopKParams<Key>& params) {
    const auto kernel =
        params.k <= kMaxSegmentK ? best_few_kernel<Key, 64> : best_few_kernel<Key, 128>;
    kernel<<<tiles_of(params.n), kThreads>>>(params);
    CUDA_CHECK_LAUNCH();
}

}  // namespace topk
