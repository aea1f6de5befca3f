// One read of all keys: what one_read and sample_threshold have in common.
//
// From the ladder: 16-byte reads with one test for four keys (vector_queue), a threshold that all
// blocks share without waiting (shared_threshold), the last block that merges (one_launch). Adds:
// the next tile is on its way while this one is tested; candidates go to the block's set, so that
// k may be large; blocks take tiles from a counter.
#pragma once

#include "tile.cuh"

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

/// The tile with this number; behind the last one where there is none. The blocks' first tiles lie
/// all over the data, so that no order of the keys is bad for a start. The others come in the order
/// of the data: what a set holds has a lower index then, as a rule.
__device__ inline unsigned tile_of(unsigned number, unsigned tiles) {
    const unsigned distance = tiles / gridDim.x;  // of the first tiles
    if (number < gridDim.x) return number * distance;
    const unsigned later = number - gridDim.x;
    return later + (distance > 1 ? min(later / (distance - 1) + 1, gridDim.x) : gridDim.x);
}

/// The first key of a tile. Tile 0 is the end of the data, which may not be a full one: it is the
/// first of its block, and no other read needs to look where the data end.
__device__ inline unsigned base_of(unsigned tile, unsigned n) {
    return (tile == 0 ? (n - 1) / kTile : tile - 1) * kTile;
}

/// The first key of this block's first tile.
__device__ inline unsigned first_base(unsigned n) {
    return base_of(tile_of(blockIdx.x, tiles_of(n)), n);
}

/// Which of the thread's keys may reach the threshold, one bit per key; distinct: unless one look
/// finds them in the set. From then on the registers hold tile number `next`, if there is one: each
/// vector is asked for as soon as it has been copied, so that the memory is never idle.
template <class Key, class Set>
__device__ __forceinline__ unsigned test_and_load(const TopKParams<Key>& params, const Set& set,
                                                  Tile<Key>& tile, unsigned base,
                                                  KeyIndex threshold, unsigned next) {
    const bool more = next < tiles_of(params.n);
    const auto table = set.table();
    unsigned pending = 0;
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
        unsigned radix_keys[4];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            radix_keys[i] = tile.radix_key(4 * v + i, params.order_mask);
        }
        if (more) tile.load_vector(v, params, base_of(next, params.n));
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

/// Tells the other blocks this one's threshold, and takes theirs if it is higher. A barrier is
/// behind.
template <class Key, class Set>
__device__ void share_threshold(const TopKParams<Key>& params, const Set& set) {
    if (threadIdx.x == 0) {
        const KeyIndex mine = set.state->threshold;
        set.state->threshold = max(mine, atomicMax(&params.scratch.control->threshold, mine));
    }
    __syncthreads();  // all threads know the threshold
}

/// Inserts the keys of the tile at `base` whose bits are set; they are read again, which is cheaper
/// than to keep two tiles. Calls reload() after what needs the registers. A barrier is behind.
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
            move_apart(set);  // what comes again will come often: one look should find it
        }
        reload();
    }
}

/// Takes tile after tile until there are no more, and gathers what reaches the threshold in the
/// set. The first tile is in `tile` already. Returns the highest threshold that is known.
template <class Key, class Set>
__device__ __forceinline__ KeyIndex stream(const TopKParams<Key>& params, const Set& set,
                                           Tile<Key>& tile) {
    BlockState* const state = set.state;
    Control* const control = params.scratch.control;
    const unsigned tiles = tiles_of(params.n);
    unsigned at = tile_of(blockIdx.x, tiles);
    unsigned next = tile_of(gridDim.x + blockIdx.x, tiles);
    KeyIndex threshold = state->threshold;
    // What thread 0 asks the memory for in one turn is used in the next, so that no thread waits.
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

/// Appends the block's candidates that reach its threshold and this one, at most 2 k + 16, to the
/// list of all blocks, and draws a ticket. True in the block that draws the last one: then the list
/// is complete. Must be called by all threads of the block.
template <class Key, bool kDistinct, int kSlotsPerThread>
__device__ bool append_to_list(const TopKParams<Key>& params,
                               const CandidateSet<kDistinct, kSlotsPerThread>& set,
                               KeyIndex threshold) {
    BlockState* const state = set.state;
    if (state->candidates > 2 * set.k + 16) keep_best(set);
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
    if (threadIdx.x % 32 == 31 && sum != 0) {
        position = static_cast<unsigned>(atomicAdd(progress, KeyIndex{sum} << 32) >> 32);
    }
    position = __shfl_sync(kFullMask, position, 31) + sum - mine;
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

/// In the last block: the k best of the list, in order, to the result. Leaves `control` as it was
/// before the launch.
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

}  // namespace topk
