// 12. sample_threshold: a threshold that the whole grid agrees on, before the first key is tested.
//
// From the stage before: everything else. New: the threshold. If k groups of threads have each seen
// a different item that is t or better, the result holds nothing worse than t. So the k-th largest
// of the groups' maxima is a threshold; and with many more groups than k, it is not far below the
// k-th largest of all items seen.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "09_candidate_set.cuh"
#include "11_one_read.cuh"
#include "block.cuh"
#include "candidates.cuh"
#include "distinct_table.cuh"

namespace topk {

/// How many groups of neighbouring threads a block has, each of which publishes its maximum: warps,
/// parts of warps if these are too few, or single vectors. There should be several times as many
/// groups as k: then only a few keys reach the threshold.
constexpr unsigned groups_per_block(unsigned k, unsigned blocks) {
    unsigned groups = kWarps;
    while (groups < kThreads * kVectors && blocks * groups < 8 * k) groups *= 2;
    return std::min(groups, kThreads * kVectors);
}

/// Publishes the best radix key of a group of threads. `mine`: this thread's; 0: none. All threads
/// of the block must call it.
template <class Set>
__device__ __forceinline__ void publish(unsigned mine, unsigned threads, unsigned group,
                                        unsigned* bests) {
    for (unsigned distance = 1; distance < threads; distance *= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    if (threadIdx.x % threads != 0 || mine == 0) return;
    // Groups that share a place become one. Distinct: those with the same maximum must.
    const unsigned of_grid = group * gridDim.x + blockIdx.x;
    atomicMax(&bests[Set::kIsDistinct ? hash_of<Set::kSlots>(mine) : of_grid % Set::kSlots], mine);
}

/// Waits until all blocks have published, and raises the threshold to the k-th largest of the
/// maxima. All threads of the grid must call it.
template <bool kDistinct, int kSlotsPerThread>
__device__ __forceinline__ void agree(const CandidateSet<kDistinct, kSlotsPerThread>& set,
                                      const unsigned* bests) {
    cooperative_groups::this_grid().sync();  // all groups have published
    unsigned entries[kSlotsPerThread];
#pragma unroll
    for (int i = 0; i < kSlotsPerThread; ++i)
        entries[i] = __ldcg(&bests[i * kThreads + threadIdx.x]);
    // It need not be exact: a few more candidates cost less than a few more rounds.
    const KeyIndex kth = kth_largest(entries, set.k, set.k / 8, set.state);
    if (threadIdx.x == 0) set.state->threshold = max(set.state->threshold, kth << 32);
    __syncthreads();  // all threads know the threshold
}

// sample_threshold: before the first key is tested, the grid agrees on a threshold: the k-th
// largest of the maxima of the groups of threads in the blocks' first tiles.
// Removes: most candidates that are discarded later.
// Remains: two grid-wide barriers at most, about as long as two launches; the last block's ticket.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sample_threshold_kernel(TopKParams<Key> params, unsigned groups) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    using Set = CandidateSet<kDistinct, kSlotsPerThread>;
    const Set set{slots, &state, params.k};
    auto& bests = params.scratch.control->bests;
    Tile<Key> tile;
    tile.load(params, first_base(params.n), params.n);
    start<Key>(set);
    unsigned best = 0;
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
        const unsigned of_vector = tile.best_of_vector(v, params.order_mask);
        best = max(best, of_vector);
        if (groups > kThreads) publish<Set>(of_vector, 1, v * kThreads + threadIdx.x, bests[0]);
    }
    if (groups <= kThreads) {
        publish<Set>(best, kThreads / groups, threadIdx.x * groups / kThreads, bests[0]);
    }
    agree(set, bests[0]);
    const KeyIndex threshold = stream(params, set, tile);
    if (tiles_of(params.n) > gridDim.x) {
        // The candidates of all blocks give a threshold close to the result's last key, so that the
        // list is short. Here every thread is a group.
        KeyIndex entries[kSlotsPerThread];
        set.read(entries);
        KeyIndex of_set = 0;
#pragma unroll
        for (const KeyIndex entry : entries) of_set = max(of_set, entry);
        publish<Set>(radix_key_of(of_set), 1, threadIdx.x, bests[1]);
        agree(set, bests[1]);
    }
    if (!append_to_list(params, set, threshold)) return;
    finish(params, set);
    for (unsigned i = threadIdx.x; i < Set::kSlots; i += kThreads) bests[0][i] = bests[1][i] = 0;
}

template <class Key>
void sample_threshold(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "sample_threshold");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = sample_threshold_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        const unsigned blocks = std::min(max_blocks, tiles_of(params.n));
        launch_cooperative(kernel, blocks, kBytes, params, groups_per_block(params.k, blocks));
    });
}

}  // namespace topk
