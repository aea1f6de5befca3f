// 9. candidate_set: a set in shared memory instead of queues in registers, for k up to kMaxK.
//
// From the stages before: the threshold that all blocks share, 16-byte reads with one test for four
// keys, the last block that merges. New: candidates gather in a set that is not kept sorted
// (candidates.cuh). When there are too many, the block keeps the k best of them, found bit by bit;
// the k-th is its new threshold. With --distinct the set is a hash table (distinct_table.cuh).
//
// All threads of a block call everything here together. The kernels own the shared memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "block.cuh"
#include "candidates.cuh"
#include "distinct_table.cuh"

namespace topk {

/// No candidate yet. A barrier must follow.
template <class Key, class Set>
__device__ void start(const Set& set) {
    set.clear();
    if (threadIdx.x == 0) {
        set.state->threshold = max(KeyIndex{KeyOrder<Key>::kMinRadixKey} << 32, KeyIndex{1});
        set.state->hash_factor = kHashFactor;
    }
}

/// Which of the thread's keys may reach the threshold, one bit per key; distinct: unless a single
/// lookup finds them in the set. Calls load_next(v) when vector v of the tile is no longer needed.
template <class Key, class Set, class LoadNext>
__device__ __forceinline__ unsigned test(const TopKParams<Key>& params, const Set& set,
                                         const Tile<Key>& tile, unsigned base, KeyIndex threshold,
                                         const LoadNext& load_next) {
    const auto table = set.table();
    unsigned pending = 0;
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
        unsigned radix_keys[4];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            radix_keys[i] = tile.radix_key(4 * v + i, params.order_mask);
        }
        load_next(v);
        // No key of this tile has an index below `base`.
        const unsigned best =
            max(max(radix_keys[0], radix_keys[1]), max(radix_keys[2], radix_keys[3]));
        if (make_key_index(best, base) < threshold) continue;
        const KeyIndex low = make_key_index(0, base + Tile<Key>::offset(4 * v));
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            bool is_wanted = radix_keys[i] >= radix_key_of(threshold);
            if constexpr (Set::kIsDistinct) {
                const KeyIndex candidate = KeyIndex{radix_keys[i]} << 32 | (low - i);
                is_wanted = is_wanted && !table.is_found_at_once(candidate);
            }
            pending |= static_cast<unsigned>(is_wanted) << (4 * v + i);
        }
    }
    return pending;
}

/// The highest threshold that a block has found so far.
template <class Key>
__device__ KeyIndex highest_threshold(const TopKParams<Key>& params) {
    return *static_cast<volatile KeyIndex*>(&params.scratch.control->threshold);
}

/// Publishes this block's threshold to the others, and adopts theirs if it is higher. A barrier
/// follows.
template <class Key, class Set>
__device__ void share_threshold(const TopKParams<Key>& params, const Set& set) {
    if (threadIdx.x == 0) {
        const KeyIndex mine = set.state->threshold;
        set.state->threshold = max(mine, atomicMax(&params.scratch.control->threshold, mine));
    }
    __syncthreads();  // all threads know the threshold
}

/// Inserts the keys of the tile at `base` whose bits are set; they are read again, which is cheaper
/// than keeping two tiles. Calls reload() once the registers are free. A barrier follows.
template <class Key, class Set, class Reload>
__device__ __forceinline__ void insert_pending(const TopKParams<Key>& params, const Set& set,
                                               unsigned base, unsigned pending,
                                               const Reload& reload) {
    while (true) {
        bool room = true;
        bool repeated = false;
        for (; room && pending != 0; pending &= pending - 1) {
            const auto bit = static_cast<unsigned>(__ffs(static_cast<int>(pending)) - 1);
            const unsigned index = base + Tile<Key>::offset(bit);
            if (index >= params.n) continue;
            const KeyIndex candidate = key_index_of(params.keys[index], index, params.order_mask);
            if (candidate >= set.state->threshold) room = set.insert(candidate, &repeated);
        }
        if (!__syncthreads_or(!room || repeated)) return;
        if (__syncthreads_or(!room)) {
            keep_best(set);
            share_threshold(params, set);
        } else if constexpr (Set::kIsDistinct) {
            move_apart(set);  // a value that recurs will recur often: one lookup should find it
        }
        reload();
    }
}

/// How many candidates a block lists at most: with fewer it is not worth finding the k best.
__host__ __device__ constexpr unsigned max_listed(unsigned k) { return 2 * k + 16; }

/// Appends the block's candidates that reach its threshold and this one, at most max_listed(k), to
/// the list of all blocks, and takes a ticket. True in the block that takes the last one: then the
/// list is complete. All threads of the block must call it.
template <class Key, bool kDistinct, int kSlotsPerThread>
__device__ bool append_to_list(const TopKParams<Key>& params,
                               const CandidateSet<kDistinct, kSlotsPerThread>& set,
                               KeyIndex threshold) {
    BlockState* const state = set.state;
    if (state->candidates > max_listed(set.k)) keep_best(set);
    KeyIndex entries[kSlotsPerThread];
    set.read(entries);
    threshold = max(threshold, state->threshold);
    unsigned mine = 0;
#pragma unroll
    for (const KeyIndex entry : entries) mine += entry >= threshold;
    // The warp gets its part of the list.
    const unsigned sum = warp_prefix_sum(mine);
    unsigned long long* const progress = &params.scratch.control->progress;
    unsigned position = 0;
    if (threadIdx.x % kWarpSize == kWarpSize - 1 && sum != 0) {
        position = static_cast<unsigned>(atomicAdd(progress, KeyIndex{sum} << 32) >> 32);
    }
    position = __shfl_sync(kFullMask, position, kWarpSize - 1) + sum - mine;
#pragma unroll
    for (const KeyIndex entry : entries) {
        if (entry >= threshold) params.scratch.list[position++] = entry;
    }
    __syncthreads();  // the block's entries are written
    if (threadIdx.x == 0) {
        __threadfence();  // release: they are visible before the ticket is
        const unsigned long long before = atomicAdd(progress, 1ull);
        __threadfence();  // acquire: a block that sees a ticket sees its entries
        state->last = static_cast<unsigned>(before) == gridDim.x - 1;
        state->listed = static_cast<unsigned>(before >> 32);
    }
    __syncthreads();  // all threads know
    return state->last;
}

/// In the last block: writes the k best of the list to the result, in order. Leaves `control` as it
/// was before the launch.
template <class Key, class Set>
__device__ void finish(const TopKParams<Key>& params, const Set& set) {
    constexpr unsigned kLoads = 4;  // in flight per thread
    const unsigned listed = set.state->listed;
    const KeyIndex threshold = highest_threshold(params);
    set.clear();
    __syncthreads();  // the set is empty
    for (unsigned first = 0; first < listed; first += kThreads * kLoads) {
        Items<kLoads> mine;
#pragma unroll
        for (unsigned i = 0; i < kLoads; ++i) {
            const unsigned at = first + i * kThreads + threadIdx.x;
            mine.item[i] = at < listed ? params.scratch.list[at] : 0;
        }
        set.insert_items(mine, threshold);
    }
    set.write_sorted(params.result, params.order_mask);
    if (threadIdx.x == 0) {
        params.scratch.control->threshold = 0;
        params.scratch.control->progress = 0;
        params.scratch.control->taken = 0;
    }
}

// candidate_set: as one_launch, but keys that pass go to the block's set in shared memory.
// Removes: queues, and with them the limit of k to a warp's 32 lanes; the sorting of keys that are
// discarded later.
// Remains: while a block tests its tile, none of its reads is in flight.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    candidate_set_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    start<Key>(set);
    __syncthreads();  // the set is empty
    KeyIndex threshold = 0;
    for (unsigned at = blockIdx.x; at < tiles_of(params.n); at += gridDim.x) {
        threshold = max(state.threshold, highest_threshold(params));
        Tile<Key> tile;
        tile.load(params, at * kTile, params.n);
        const unsigned pending = test(params, set, tile, at * kTile, threshold, [](unsigned) {});
        insert_pending(params, set, at * kTile, pending, [] {});
    }
    if (append_to_list(params, set, threshold)) finish(params, set);
}

static_assert(kMaxSmallK <= CandidateSet<true, kSlotsForSmallK>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kSlotsForLargeK>::kLimit);

/// Calls launch(distinct, slots_per_thread), both as std::integral_constant, for the set that the
/// question needs.
template <class Key, class Launch>
void with_set(const TopKParams<Key>& params, const Launch& launch) {
    const auto with_distinct = [&](auto distinct) {
        if (params.k <= kMaxSmallK) {
            launch(distinct, std::integral_constant<int, kSlotsForSmallK>());
        } else {
            launch(distinct, std::integral_constant<int, kSlotsForLargeK>());
        }
    };
    if (params.distinct) {
        with_distinct(std::true_type());
    } else {
        with_distinct(std::false_type());
    }
}

template <class Key>
void candidate_set(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "candidate_set");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = candidate_set_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        kernel<<<std::min(max_blocks, tiles_of(params.n)), kThreads, kBytes>>>(params);
        CUDA_CHECK_LAUNCH();
    });
}

}  // namespace topk
