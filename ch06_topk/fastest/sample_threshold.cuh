// sample_threshold: a threshold that the whole grid agrees on, before the first key is tested.
//
// From the ladder: all that one_read takes. Adds: the threshold. If k groups of threads have each
// seen a different item as good as t or better, the result holds nothing worse than t. So the k-th
// largest of the groups' bests is a threshold; and where the groups are many more than k, it is not
// far below the k-th largest of all that they have seen.
#pragma once

#include <cooperative_groups.h>

#include "../../common/harness/cooperative_launch.hpp"
#include "one_read.cuh"

namespace topk {

/// How many groups of neighbouring threads a block has, each of which publishes one best: warps, or
/// parts of warps where these are too few. There should be twice as many groups as k: then the
/// threshold is one that few items reach.
constexpr unsigned groups_per_block(unsigned k, unsigned blocks) {
    unsigned groups = kWarps;
    while (groups < kThreads && blocks * groups < 2 * k) groups *= 2;
    return groups;
}

/// Publishes the best radix keys of this block's groups; `mine`: this thread's.
__device__ inline void publish(unsigned mine, unsigned groups, unsigned* bests) {
    if (groups == kWarps) mine = warp_max(mine);
    for (unsigned lanes = 1; groups > kWarps && lanes * groups < kThreads; lanes *= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, lanes));
    }
    const unsigned group = threadIdx.x * groups / kThreads;
    if (threadIdx.x * groups % kThreads == 0) bests[blockIdx.x * groups + group] = mine;
}

/// The k-th largest of the published bests of the grid's groups, as a threshold; 0 if there are not
/// k of them. Distinct: of different ones; the table of seen values is empty before, and not after.
/// Must be called by all threads of the block.
template <bool kDistinct, int kSlotsPerThread>
__device__ KeyIndex grid_threshold(const CandidateSet<kDistinct, kSlotsPerThread>& set,
                                   const unsigned* bests, unsigned groups) {
    using Seen = typename CandidateSet<kDistinct, kSlotsPerThread>::Seen;
    // For few k each thread takes the best of several groups: that is still many more than k.
    constexpr unsigned kLoads = 8;
    constexpr unsigned kBests = kSlotsPerThread == kSlotsForSmallK ? 1 : kLoads;
    unsigned entries[kBests] = {};
    for (unsigned first = threadIdx.x; first < groups; first += kLoads * kThreads) {
#pragma unroll
        for (unsigned i = 0; i < kLoads; ++i) {
            const unsigned group = first + i * kThreads;
            unsigned& entry = entries[i % kBests];
            if (group < groups) entry = max(entry, __ldcg(&bests[group]));
        }
    }
    // It need not be exact: some more candidates cost less than some more rounds.
    unsigned threshold = kth_largest(entries, set.k, set.k / 4, set.state);
    if constexpr (kDistinct) {
        // Of equal bests one stays.
        const auto forget_repeated = [&](unsigned low, unsigned high) {
            constexpr unsigned kTable = 2 * Seen::kPlaces;  // the memory of the indices as well
#pragma unroll
            for (unsigned i = 0; i < kBests; ++i) {
                if (entries[i] < low || entries[i] > high) continue;
                const unsigned place = set.seen().template note<kTable>(entries[i], kHashFactor);
                if (place == kTable) entries[i] = 0;
            }
        };
        // Nearly always those that reach it are different, and the others need not be looked at.
        if (threshold == 0) return 0;
        forget_repeated(threshold, ~0u);
        if (count_all(entries, threshold, set.state) < set.k) {
            forget_repeated(1, threshold - 1);
            threshold = kth_largest(entries, set.k, set.k / 4, set.state);
        }
    }
    return KeyIndex{threshold} << 32;
}

/// Publishes the bests of this block's groups, waits for those of all blocks, and raises the
/// block's threshold to the grid's. `mine`: this thread's best radix key. Distinct: no value was
/// seen before, nor after. Must be called by all threads of the grid.
template <class Set>
__device__ __forceinline__ void agree(const Set& set, unsigned mine, unsigned groups,
                                      unsigned* bests) {
    publish(mine, groups, bests);
    cooperative_groups::this_grid().sync();  // all groups have published, and nothing was seen
    const KeyIndex threshold = grid_threshold(set, bests, gridDim.x * groups);
    if (threadIdx.x == 0) set.state->threshold = max(set.state->threshold, threshold);
    if constexpr (Set::kIsDistinct) set.seen().clear();
    __syncthreads();  // all threads know the threshold, and no value was seen
}

/// The same with the bests that the warps had for the set. Many candidates: that tells a threshold
/// close to the result's last, and the blocks append little to the list. Not inlined, so that
/// stream() need not keep a register for it.
template <class Set>
__device__ __noinline__ void agree_again(Set set, unsigned* bests) {
    if constexpr (Set::kIsDistinct) set.seen().clear();
    agree(set, set.state->warp_best[threadIdx.x / 32], kWarps, bests);
}

// sample_threshold: before the first key is tested, the grid agrees on a threshold: the k-th
// largest of the best of each group of threads in the blocks' first tiles.
// Removes: most candidates that are discarded later.
// Remains: two grid-wide barriers at most, about as long as two launches; the last block's ticket.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sample_threshold_kernel(TopKParams<Key> params, unsigned groups) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    const unsigned base = first_base(params.n);
    Tile<Key> tile;
    tile.load(params, base);
    start(set);
    agree(set, tile.best_radix_key(params, base), groups, params.scratch.bests);
    stream(params, set, tile);
    if (tiles_of(params.n) > gridDim.x) agree_again(set, params.scratch.bests + gridDim.x * groups);
    if (append_to_list(params, set)) finish(params, set);
}

/// A cooperative launch promises that all blocks are resident, as a grid-wide barrier needs.
template <class... Parameters>
void launch_cooperative(void (*kernel)(Parameters...), unsigned blocks, std::size_t bytes,
                        Parameters... parameters) {
    void* arguments[] = {&parameters...};
    CUDA_CHECK(launch_cooperatively(kernel, dim3(blocks), dim3(kThreads), arguments, bytes));
}

/// groups(k, blocks): see groups_per_block.
template <class Key>
void sample_threshold_of(const TopKParams<Key>& params,
                         unsigned (*groups)(unsigned k, unsigned blocks)) {
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = sample_threshold_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        const unsigned blocks = std::min(max_blocks, tiles_of(params.n));
        launch_cooperative(kernel, blocks, kBytes, params, groups(params.k, blocks));
    });
}

template <class Key>
void sample_threshold(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "sample_threshold");
    sample_threshold_of(params, groups_per_block);
}

}  // namespace topk
