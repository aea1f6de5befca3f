// One read of all keys: what one_read and sample_threshold have in common.
//
// From the ladder: 16-byte reads with one test for four keys (vector_queue), a threshold that all
// blocks share without waiting (shared_threshold), the last block that merges (one_launch). Adds:
// the next tile is on its way while this one is tested; candidates go to the block's set, so that
// k may be large; blocks take tiles in chunks, from a counter.
#pragma once

#include "candidate_set.cuh"

namespace topk {

constexpr int kVectors = 4;                          ///< 16-byte reads in flight per thread
constexpr unsigned kTile = kThreads * kVectors * 4;  ///< keys

/// The keys of one thread in one tile. A warp's 32 vectors lie side by side.
template <class Key>
struct Tile {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectors];

    /// Where in the tile this thread's i-th key is.
    __device__ static unsigned offset(unsigned i) {
        return (i / 4 * kThreads + threadIdx.x) * 4 + i % 4;
    }

    __device__ __forceinline__ void load_vector(const TopKParams<Key>& params, unsigned base,
                                                int i) {
        const auto* from = reinterpret_cast<const Vector*>(params.keys + base) + threadIdx.x;
        vectors[i] = __ldcs(from + i * kThreads);
    }

    __device__ __forceinline__ void load_full(const TopKParams<Key>& params, unsigned base) {
#pragma unroll
        for (int i = 0; i < kVectors; ++i) load_vector(params, base, i);
    }

    /// Reads the tile that begins at key `base`; what is behind the last key is 0.
    __device__ __forceinline__ void load(const TopKParams<Key>& params, unsigned base) {
        if (params.n - base >= kTile) return load_full(params, base);
        const auto key = [&](unsigned i) {
            return offset(i) < params.n - base ? params.keys[base + offset(i)] : Key{0};
        };
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            vectors[i].x = key(4 * i);
            vectors[i].y = key(4 * i + 1);
            vectors[i].z = key(4 * i + 2);
            vectors[i].w = key(4 * i + 3);
        }
    }

    /// The best radix key of the thread's keys; 0 if there is none.
    __device__ unsigned best_radix_key(const TopKParams<Key>& params, unsigned base) const {
        unsigned best = 0;
        const auto consider = [&](unsigned i, Key key) {
            const unsigned radix_key = KeyOrder<Key>::radix_key(key, params.order_mask);
            if (offset(i) < params.n - base) best = max(best, radix_key);
        };
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            consider(4 * i, vectors[i].x);
            consider(4 * i + 1, vectors[i].y);
            consider(4 * i + 2, vectors[i].z);
            consider(4 * i + 3, vectors[i].w);
        }
        return best;
    }
};

/// The warp's largest KeyIndex, in every lane.
__device__ inline KeyIndex warp_largest(KeyIndex mine) {
    const unsigned radix_key = warp_max(radix_key_of(mine));
    const unsigned low = radix_key_of(mine) == radix_key ? static_cast<unsigned>(mine) : 0;
    return static_cast<KeyIndex>(radix_key) << 32 | warp_max(low);
}

/// No candidate yet. A barrier must follow.
template <class Set>
__device__ void start(const Set& set) {
    set.clear();
    if constexpr (Set::kIsDistinct) set.seen().clear();
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        set.state->seen_filter.factor = kHashFactor;
        set.state->threshold = 0;
        set.state->others_threshold[0] = 0;
        set.state->others_threshold[1] = 0;
    }
}

__host__ __device__ inline unsigned tiles_of(unsigned n) { return (n - 1) / kTile + 1; }

/// Tiles that a block takes at a time, a chunk: between chunks it meets, and at the end it may be
/// the last to finish one.
__device__ inline unsigned tiles_per_chunk(unsigned tiles) {
    return tiles < 64 * gridDim.x ? 1 : 4;
}

/// The first tile of the chunk with this number; behind the last one where there is none. The first
/// chunks of all blocks lie all over the data, each block's next ones behind its first: so neither
/// sorted data nor data with few keys of interest in one place are bad for a start.
__device__ inline unsigned chunk_first(unsigned number, unsigned tiles) {
    const unsigned length = tiles_per_chunk(tiles);
    const unsigned per_block = tiles / length / gridDim.x;
    if (number < per_block * gridDim.x) {
        number = number % gridDim.x * per_block + number / gridDim.x;
    }
    return number * length;
}

/// The first key of a tile. The last tile of the data, which may not be full, is number 0: it is
/// the first of its block, and no other read needs to look where the data end.
__device__ inline unsigned base_of(unsigned tile, unsigned n) {
    return (tile == 0 ? (n - 1) / kTile : tile - 1) * kTile;
}

/// The first key of this block's first tile.
__device__ inline unsigned first_base(unsigned n) {
    return base_of(chunk_first(blockIdx.x, tiles_of(n)), n);
}

/// Distinct: has the table of seen values anything to say?
template <class Set>
__device__ bool is_filtered(const Set& set) {
    return Set::kIsDistinct && set.state->seen_filter.end_index != 0;
}

/// Which of the thread's keys in the tile that begins at `base` may be candidates, one bit per key.
/// From then on the registers hold tile number `after`, if there is one: each vector is asked for
/// as soon as the one before has been tested, so that the memory is never idle.
template <class Key, class Set>
__device__ __forceinline__ unsigned test_and_load(const TopKParams<Key>& params, const Set& set,
                                                  Tile<Key>& tile, unsigned base,
                                                  KeyIndex threshold, unsigned after,
                                                  unsigned tiles) {
    // The least radix key that is of interest here; beyond ~0 there is none. Once the threshold is
    // (value, index), equal values that come later have higher indices and need not be looked at.
    const bool behind = base > index_of(threshold);
    const bool none = behind && radix_key_of(threshold) == ~0u;
    const unsigned min_radix_key =
        none ? ~0u : max(radix_key_of(threshold) + (behind ? 1 : 0), KeyOrder<Key>::kMinRadixKey);
    const bool more = after < tiles;
    const bool filtered = is_filtered(set);
    const SeenFilter seen_filter = filtered ? set.state->seen_filter : SeenFilter{};
    unsigned pending = 0;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
        const Key keys[4] = {tile.vectors[v].x, tile.vectors[v].y, tile.vectors[v].z,
                             tile.vectors[v].w};
        if (more) tile.load_vector(params, base_of(after, params.n), v);
        unsigned top = 0;
#pragma unroll
        for (const Key key : keys) top = max(top, KeyOrder<Key>::radix_key(key, params.order_mask));
        if (top < min_radix_key) continue;
        if (filtered && base >= seen_filter.end_index) {
            // Distinct, and few different values: nearly always all have been seen.
            unsigned unseen = 0;
#pragma unroll
            for (const Key key : keys) {
                const unsigned radix_key = KeyOrder<Key>::radix_key(key, params.order_mask);
                if (radix_key >= min_radix_key)
                    unseen |= set.seen().probe(radix_key, seen_filter.factor) ^ radix_key;
            }
            if (unseen == 0) continue;
        }
#pragma unroll
        for (int i = 4 * v; i < 4 * v + 4; ++i) {
            const unsigned radix_key = KeyOrder<Key>::radix_key(keys[i % 4], params.order_mask);
            const KeyIndex candidate = make_key_index(radix_key, base + Tile<Key>::offset(i));
            const bool in =
                radix_key >= min_radix_key && !(filtered && set.seen().was_seen(candidate));
            pending |= static_cast<unsigned>(in) << i;
        }
    }
    return none ? 0 : pending;
}

/// The highest threshold that a block has found so far.
template <class Key>
__device__ KeyIndex highest_threshold(const TopKParams<Key>& params) {
    return *static_cast<volatile KeyIndex*>(&params.scratch.control->threshold);
}

/// Takes chunk after chunk until there are no more, and gathers what reaches the threshold in the
/// set. The first tile is in `tile` already. Between two barriers of the block its warps go at
/// their own pace.
template <class Key, class Set>
__device__ __forceinline__ void stream(const TopKParams<Key>& params, const Set& set,
                                       Tile<Key>& tile) {
    BlockState* const state = set.state;
    Control* const control = params.scratch.control;
    const unsigned tiles = tiles_of(params.n);
    const unsigned length = tiles_per_chunk(tiles);
    unsigned* const warp_best = &state->warp_best[threadIdx.x / 32];
    unsigned at = chunk_first(blockIdx.x, tiles);
    unsigned end = min(at + length, tiles);  // of the chunk; 0: there is none
    unsigned next = chunk_first(gridDim.x + blockIdx.x, tiles);
    unsigned ticket = 0;
    const auto take_ticket = [&] {
        // It is needed a chunk later, so that no thread waits for it.
        if (threadIdx.x == 0 && next < tiles) {
            ticket = 2 * gridDim.x + atomicAdd(&control->taken, 1u);
        }
    };
    take_ticket();
    unsigned pending = 0;  // keys of tile `at` to be inserted, one bit each
    bool tested = false;   // tile `at` was, and the registers hold the one after it
    unsigned turn = 0;
    while (end != 0) {
        // What other blocks have found comes one pass late, for the same reason.
        KeyIndex others_threshold = 0;
        if (threadIdx.x == 0 && next < tiles) {
            others_threshold = highest_threshold(params);
        }
        const KeyIndex threshold = max(state->threshold, state->others_threshold[turn]);
        bool inserted = false;
        bool room = true;
        bool repeated = false;  // distinct: a value came again
        for (; at < end; ++at) {
            const unsigned base = base_of(at, params.n);
            if (!tested) {
                const unsigned after = at + 1 < end ? at + 1 : next;
                pending = test_and_load(params, set, tile, base, threshold, after, tiles);
            }
            tested = __any_sync(kFullMask, pending != 0);
            if (!tested) continue;
            // The few keys that are pending are read again: that is cheaper than to keep them all.
            // Best first, so that where they are many the next threshold is high.
            KeyIndex done = 0;  // distinct: the warp has no better key of this value to look at
            const bool filtered = is_filtered(set);
            while (__any_sync(kFullMask, pending != 0 && room)) {
                KeyIndex best = 0;
                unsigned best_bit = 0;
                for (unsigned rest = room ? pending : 0; rest != 0;) {
                    const unsigned i = (__ffs(static_cast<int>(rest)) - 1) / 4 * 4;
                    const unsigned first = base + Tile<Key>::offset(i);
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j) {
                        const bool wanted = (rest >> (i + j) & 1) != 0 && first + j < params.n;
                        const KeyIndex candidate =
                            wanted
                                ? key_index_of(params.keys[first + j], first + j, params.order_mask)
                                : 0;
                        if (candidate == 0 || candidate < threshold ||
                            (filtered && set.seen().was_seen(candidate)) ||
                            (radix_key_of(candidate) == radix_key_of(done) && candidate <= done)) {
                            pending &= ~(1u << (i + j));
                        } else if (best == 0 || (!filtered && candidate > best)) {
                            best = candidate;
                            best_bit = 1u << (i + j);
                        }
                    }
                    rest &= ~(15u << i);
                }
                pending &= ~best_bit;
                inserted = inserted || best != 0;
                const KeyIndex largest = warp_largest(best);
                if (threadIdx.x % 32 == 0) *warp_best = max(*warp_best, radix_key_of(largest));
                if constexpr (Set::kIsDistinct) {
                    // Of the lanes that have the warp's best value, one inserts it.
                    done = largest;
                    if (best != done && radix_key_of(best) == radix_key_of(done)) {
                        repeated = repeated || best != 0;
                        best = 0;
                    }
                }
                if (best != 0) room = set.insert(best, &repeated);
                if (Set::kIsDistinct && __any_sync(kFullMask, repeated && __popc(pending) > 4))
                    break;
            }
            tested = __any_sync(kFullMask, pending != 0);
            if (tested) break;
            // A few values never fill the set, and come here key by key until the block meets
            // and records them as seen: it should, and soon.
            if (Set::kIsDistinct && __any_sync(kFullMask, repeated)) {
                ++at;
                break;
            }
        }
        turn = 1 - turn;
        if (threadIdx.x == 0) {
            state->others_threshold[turn] = others_threshold;
            state->ticket[turn] = chunk_first(ticket, tiles);
        }
        bool again = false;
        if (__syncthreads_or(inserted)) {
            const unsigned candidates = state->candidates;
            again = __syncthreads_or(at < end);
            if (candidates > max(set.k, Set::kLimit / 2)) {
                const KeyIndex kth = set.keep_best();
                if (threadIdx.x == 0 && kth != 0) atomicMax(&control->threshold, kth);
                // The registers were needed.
                const unsigned wanted = at + (tested ? 1 : 0);
                const unsigned held = wanted < end ? wanted : next;
                tile = Tile<Key>{};
                if (held < tiles) tile.load_full(params, base_of(held, params.n));
            }
            if constexpr (Set::kIsDistinct) {
                if (__syncthreads_or(repeated)) {
                    set.seen().template record<Set::kSlots>(set.slots, state->candidates);
                }
            }
            __syncthreads();  // the set is ready for the next pass
        }
        if (again) continue;
        at = next;
        end = at < tiles ? min(at + length, tiles) : 0;
        next = state->ticket[turn];
        take_ticket();
    }
    if (threadIdx.x == 0) state->threshold = max(state->threshold, state->others_threshold[turn]);
    __syncthreads();  // the set and its threshold are complete
}

/// Appends the block's candidates that reach the threshold, at most 2 k + 16, to the list of all
/// blocks, and draws a ticket. True in the block that draws the last one: then the list is
/// complete. Must be called by all threads of the block.
template <class Key, bool kDistinct, int kSlotsPerThread>
__device__ bool append_to_list(const TopKParams<Key>& params,
                               const CandidateSet<kDistinct, kSlotsPerThread>& set) {
    BlockState* const state = set.state;
    if (state->candidates > 2 * set.k + 16) set.keep_best();
    KeyIndex entries[kSlotsPerThread];
    set.read(entries);
    const KeyIndex threshold = max(state->threshold, KeyIndex{1});
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
    constexpr int kLoads = 4;  // in flight per thread
    constexpr unsigned kRound = kThreads * kLoads;
    const unsigned listed = set.state->listed;
    const KeyIndex threshold = max(highest_threshold(params), KeyIndex{1});
    set.clear();
    __syncthreads();  // the set is empty
    for (unsigned first = 0; first < listed; first += kRound) {
        KeyIndex items[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const unsigned at = first + i * kThreads + threadIdx.x;
            items[i] = at < listed ? params.scratch.list[at] : 0;
        }
        bool again = true;
        while (again) {
            const KeyIndex bound = max(set.state->threshold, threshold);
            bool room = true;
#pragma unroll
            for (KeyIndex& item : items) {
                if (item < bound) item = 0;
                if (item == 0 || !room) continue;
                room = set.insert(item);
                item = 0;
            }
            again = __syncthreads_or(!room);
            const unsigned candidates = set.state->candidates;
            __syncthreads();  // all threads know how many candidates there are
            if (candidates > Set::kLimit) set.keep_best();
        }
    }
    set.write_sorted(params.result, params.order_mask);
    if (threadIdx.x == 0) {
        params.scratch.control->threshold = 0;
        params.scratch.control->progress = 0;
        params.scratch.control->taken = 0;
    }
}

}  // namespace topk
