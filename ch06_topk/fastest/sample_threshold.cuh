// sample_threshold: the kernels and their launcher.
//
// From the ladder: all that one_read takes. Adds: before the first key is tested the grid agrees on
// a threshold (grid_threshold.cuh), from a sample, or from all keys where each block has one tile.
#pragma once

#include <cooperative_groups.h>

#include "../../common/harness/cooperative_launch.hpp"
#include "one_read.cuh"
#include "tile_threshold.cuh"

namespace topk {

// sample_threshold: before the first key is tested, the grid takes a sample from all over the data,
// and agrees on a threshold: the k-th largest of the best of each group of warps.
// Removes: the dependence on the order of the data, and most candidates.
// Remains: two grid-wide barriers at most, about as long as two launches; the last block's ticket.
template <class Key, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm<false, kSlotsPerThread>)
    sample_threshold_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<false, kSlotsPerThread> set{slots, &state, params.k};
    const auto grid = cooperative_groups::this_grid();
    KeyIndex* const sampled = params.scratch.bests;
    // The best that the groups find in all data tell a threshold close to the result's last. Those
    // of the sample would not do: what one group sampled is another's candidate, and would count
    // twice.
    const unsigned groups = gridDim.x * set.kGroups;
    KeyIndex* const streamed = sampled + groups;

    Sample<Key, kSampleVectors<kSlotsPerThread>> sample;
    sample.load(params);
    Tile<Key> tile;
    tile.load(params, first_base(params.n));  // on its way while the threshold is found
    start(set);
    __syncthreads();  // the set is empty
    note_best(set, warp_largest(sample.best(params.order_mask, [](unsigned) { return false; })));
    publish(set, sampled);
    grid.sync();  // all groups have published
    KeyIndex threshold = grid_threshold(set, sampled, groups);
    start_from(set, threshold);
    stream(params, set, tile);
    publish(set, streamed);
    if constexpr (kSlotsPerThread != kSlotsForSmallK) {
        // Many candidates: all blocks wait for the second threshold, and append little to the list.
        grid.sync();  // all groups have published
        threshold = grid_threshold(set, streamed, groups);
        raise_threshold(set, threshold);
    }
    KeyIndex entries[kSlotsPerThread];
    if (!append_to_list(params, set, entries)) return;
    finish(params, set, [&] {
        // Few candidates: the last block can as well sort them out by itself.
        return kSlotsPerThread == kSlotsForSmallK ? grid_threshold(set, streamed, groups) : 0;
    });
}

/// Where the sample's best are too few different values, it is searched again without them, so
/// often at most.
constexpr int kAttempts = 4;

/// sample_threshold, every value once. One value may be the best of every group: then the sample is
/// searched again for other ones. Else as sample_threshold_kernel.
template <class Key, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm<true, kSlotsPerThread>)
    sample_threshold_distinct_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<true, kSlotsPerThread> set{slots, &state, params.k};
    const auto grid = cooperative_groups::this_grid();
    KeyIndex* const bests = params.scratch.bests;
    const unsigned groups = gridDim.x * set.kGroups;
    KeyIndex* const streamed = bests + 2 * groups;

    Tile<Key> tile;
    KeyIndex threshold = 0;
    unsigned enough = 1;
    unsigned found = 1;
    for (int attempt = 0; threshold == 0 && found >= enough && attempt < kAttempts; ++attempt) {
        Sample<Key, kSampleVectors<kSlotsPerThread>> sample;
        sample.load(params);
        if (attempt == 0) {
            tile.load(params, first_base(params.n));  // on its way while the threshold is found
            start(set);
            exclude_nothing(set);
            __syncthreads();  // nothing is excluded, and the set is empty
        }
        if (attempt == 1) enough = max(params.k / 8, 1u);
        const KeyIndex mine = sample.best(params.order_mask, [&](unsigned radix_key) {
            return attempt > 0 && is_excluded(set, radix_key);
        });
        // Two rounds take turns: a slow block may still read the one before.
        KeyIndex* const round = bests + attempt % 2 * groups;
        note_best(set, warp_largest(mine));
        publish(set, round);
        grid.sync();  // all groups have published
        threshold = grid_threshold(set, round, groups, &found);
    }
    start_from(set, threshold, threshold == 0);
    stream(params, set, tile);
    publish(set, streamed);
    if constexpr (kSlotsPerThread != kSlotsForSmallK) {
        exclude_nothing(set);
        grid.sync();  // all groups have published, and nothing is excluded
        threshold = grid_threshold(set, streamed, groups);
        raise_threshold(set, threshold);
    }
    KeyIndex entries[kSlotsPerThread];
    if (!append_to_list(params, set, entries)) return;
    finish(params, set, [&] {
        if (kSlotsPerThread != kSlotsForSmallK || state.few_values) return KeyIndex{0};
        exclude_nothing(set);
        return grid_threshold(set, streamed, groups);
    });
}

/// Where more of a thread's 16 keys are candidates, they may be sorted, or of few values, and
/// stream() knows what to do.
constexpr int kMaxAtOnce = 12;

/// Inserts the tile's candidates. `best`: of this thread's keys. Must be called by all threads of
/// the block.
template <class Key, class Set>
__device__ __forceinline__ void insert_at_or_above(const TopKParams<Key>& params, const Set& set,
                                                   const OneTile<Key>& tile, unsigned base,
                                                   KeyIndex best, KeyIndex threshold) {
    unsigned at_or_above = tile.at_or_above(params, base, radix_key_of(threshold));
    const int count = __popc(at_or_above);
    if (!__syncthreads_or(count > kMaxAtOnce)) {
        bool repeated = false;  // distinct: a value came again
        for (bool room = true; room && at_or_above != 0; at_or_above &= at_or_above - 1) {
            if (repeated && __popc(at_or_above) > 4) break;  // few values here as well
            // With such a threshold it is rare that a thread has two: these are read again.
            const unsigned at = base + tile.offset(__ffs(static_cast<int>(at_or_above)) - 1);
            const KeyIndex candidate =
                count == 1 ? best : key_index_of(params.keys[at], at, params.order_mask);
            if (candidate >= threshold) room = set.insert(candidate, &repeated);
        }
        if (threadIdx.x == 0) set.state->threshold = threshold;
        if (!__syncthreads_or(at_or_above != 0)) return;  // the set and its threshold are complete
        set.clear();
    }
    start_from(set, threshold);
    Tile<Key> again;
    again.load(params, base);
    stream(params, set, again);
}

/// sample_threshold, where each block has one tile: the tiles are all the data, and no sample could
/// be better.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm<kDistinct, kSlotsPerThread>)
    sample_threshold_tiles_kernel(TopKParams<Key> params, Groups groups) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    const unsigned base = first_base(params.n);
    OneTile<Key> tile;
    tile.load(params, base);
    start(set);
    if constexpr (kDistinct) exclude_nothing(set);
    __syncthreads();  // nothing is excluded, and the set is empty
    const KeyIndex best = tile.best(params, base);
    publish_best(set, best, params.scratch.bests, groups);
    cooperative_groups::this_grid().sync();  // all groups have published
    const KeyIndex threshold = grid_threshold(set, params.scratch.bests, groups.count);
    insert_at_or_above(params, set, tile, base, best, threshold);
    KeyIndex entries[kSlotsPerThread];
    if (!append_to_list(params, set, entries)) return;
    finish(params, set, [] { return KeyIndex{0}; });
}

/// A cooperative launch promises that all blocks are resident, as a grid-wide barrier needs.
template <class... Parameters>
void launch_cooperative(void (*kernel)(Parameters...), unsigned blocks, std::size_t bytes,
                        Parameters... parameters) {
    void* arguments[] = {&parameters...};
    CUDA_CHECK(launch_cooperatively(kernel, dim3(blocks), dim3(kThreads), arguments, bytes));
}

/// divide(blocks, full): see groups_of. Of more keys than one tile a block the groups are of warps.
template <class Set, class Key, class Divide>
void launch_sample_threshold(const TopKParams<Key>& params, const Divide& divide) {
    constexpr bool kDistinct = Set::kIsDistinct;
    constexpr int kSlotsPerThread = Set::kSlots / kThreads;
    constexpr std::size_t kBytes = Set::kBytes;
    const unsigned tiles = tiles_of(params.n);
    const auto of_tiles = sample_threshold_tiles_kernel<Key, kDistinct, kSlotsPerThread>;
    const auto of_more = [] {
        if constexpr (kDistinct)
            return sample_threshold_distinct_kernel<Key, kSlotsPerThread>;
        else
            return sample_threshold_kernel<Key, kSlotsPerThread>;
    }();
    static const unsigned max_tile_blocks = resident_grid(of_tiles, kMaxN, kBytes);
    static const unsigned max_blocks = resident_grid(of_more, kMaxN, kBytes);
    // As many blocks as are resident at once: they wait for each other.
    if (tiles <= max_tile_blocks) {
        const Groups groups = divide(tiles, std::max(params.n / kTile, 1u));
        return launch_cooperative(of_tiles, tiles, kBytes, params, groups);
    }
    launch_cooperative(of_more, std::min(max_blocks, tiles), kBytes, params);
}

template <class Set, class Key>
void sample_threshold_with(const TopKParams<Key>& params) {
    launch_sample_threshold<Set>(params, [&](unsigned blocks, unsigned full) {
        return groups_of<Set>(params.k, blocks, full);
    });
}

template <class Key>
void sample_threshold(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "sample_threshold");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        sample_threshold_with<
            CandidateSet<decltype(distinct)::value, decltype(slots_per_thread)::value>>(params);
    });
}

}  // namespace topk
