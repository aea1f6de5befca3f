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
constexpr unsigned kBlocksPerSm = 2;                 ///< so that 64 registers per thread suffice

/// The keys of one thread in one tile. A warp's 32 vectors lie side by side.
template <class Key>
struct Tile {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectors];

    static constexpr unsigned kKeys = kVectors * 4;

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

    /// visit(i, key) for the thread's 16 keys, unrolled, so that they stay in registers.
    template <class Visit>
    __device__ __forceinline__ void for_each(const Visit& visit) const {
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            visit(4 * i, vectors[i].x);
            visit(4 * i + 1, vectors[i].y);
            visit(4 * i + 2, vectors[i].z);
            visit(4 * i + 3, vectors[i].w);
        }
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
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        set.state->seen_filter.factor = Set::kFactor;
        set.state->few_values = false;
        set.state->threshold = 0;
        set.state->others_threshold[0] = 0;
        set.state->others_threshold[1] = 0;
    }
}

/// Blocks take tiles in chunks. Long chunks first, since between chunks the block meets; then
/// shorter and shorter ones, so that all blocks end together (guided self-scheduling:
/// Polychronopoulos and Kuck, 1987). visit(first, count, length): from tile `first` on there are
/// `count` chunks of `length` tiles. Returns true to stop the search. A length is
/// used where every block gets several such chunks. The chunks of one tile have no end.
template <class Visit>
__device__ __forceinline__ void find_chunk(unsigned tiles, const Visit& visit) {
    unsigned first = 0;
#pragma unroll
    for (unsigned length = 16; length > 1; length /= 4) {
        const unsigned count = (tiles - first) * 3ull / 4 / length;
        if (count < 4 * gridDim.x) continue;
        if (visit(first, count, length)) return;
        first += count * length;
    }
    visit(first, ~0u, 1u);
}

/// The first tile of chunk number `ticket`; beyond the data where there are no more.
__device__ inline unsigned chunk_first(unsigned ticket, unsigned tiles) {
    unsigned tile = 0;
    find_chunk(tiles, [&](unsigned first, unsigned count, unsigned length) {
        tile = first + ticket * length;
        if (ticket < count) return true;
        ticket -= count;
        return false;
    });
    return tile;
}

/// The tile behind the chunk that begins with this one.
__device__ inline unsigned chunk_end(unsigned tile, unsigned tiles) {
    unsigned end = 0;
    find_chunk(tiles, [&](unsigned first, unsigned count, unsigned length) {
        end = tile + length;
        return length == 1 || tile < first + count * length;
    });
    return end;
}

__host__ __device__ inline unsigned tiles_of(unsigned n) { return (n - 1) / kTile + 1; }

/// The first key of a tile. The last tile of the data, which may not be full, is number 0: it is
/// the first of its block, and no other read needs to look where the data end.
__device__ inline unsigned base_of(unsigned tile, unsigned n) {
    return (tile == 0 ? (n - 1) / kTile : tile - 1) * kTile;
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
    const SeenFilter seen_filter = Set::kIsDistinct ? set.state->seen_filter : SeenFilter{};
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
        if (seen_filter.end_index != 0 && base >= seen_filter.end_index) {
            // Distinct, and few different values: nearly always all have been seen.
            unsigned unseen = 0;
#pragma unroll
            for (const Key key : keys) {
                const unsigned radix_key = KeyOrder<Key>::radix_key(key, params.order_mask);
                if (radix_key >= min_radix_key)
                    unseen |= set.probe(radix_key, seen_filter.factor) ^ radix_key;
            }
            if (unseen == 0) continue;
        }
#pragma unroll
        for (int i = 4 * v; i < 4 * v + 4; ++i) {
            const unsigned radix_key = KeyOrder<Key>::radix_key(keys[i % 4], params.order_mask);
            const KeyIndex candidate = make_key_index(radix_key, base + Tile<Key>::offset(i));
            const bool in = radix_key >= min_radix_key &&
                            !(seen_filter.end_index != 0 && set.was_seen(candidate));
            pending |= static_cast<unsigned>(in) << i;
        }
    }
    return none ? 0 : pending;
}

/// The first key of this block's first tile.
__device__ inline unsigned first_base(unsigned n) {
    return base_of(chunk_first(blockIdx.x, tiles_of(n)), n);
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
    KeyIndex* const warp_best = &state->warp_best[threadIdx.x / 32];
    unsigned at = chunk_first(blockIdx.x, tiles);
    unsigned end = chunk_end(at, tiles);  // of the chunk
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
    while (end <= tiles) {
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
            const bool filtered = Set::kIsDistinct && state->seen_filter.end_index != 0;
            const bool few_values = Set::kIsDistinct && (filtered || state->few_values);
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
                            (filtered && set.was_seen(candidate)) ||
                            (radix_key_of(candidate) == radix_key_of(done) && candidate <= done)) {
                            pending &= ~(1u << (i + j));
                        } else if (best == 0 || (!few_values && candidate > best)) {
                            best = candidate;
                            best_bit = 1u << (i + j);
                        }
                    }
                    rest &= ~(15u << i);
                    if (few_values && !filtered && best != 0)
                        break;  // any will do: soon all have been seen
                }
                pending &= ~best_bit;
                inserted = inserted || best != 0;
                const KeyIndex largest = warp_largest(best);
                if (threadIdx.x % 32 == 0) *warp_best = max(*warp_best, largest);
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
            state->ticket[turn] = ticket;
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
            if (Set::kIsDistinct && __syncthreads_or(repeated)) set.record_seen();
            __syncthreads();  // the set is ready for the next pass
        }
        if (again) continue;
        at = next;
        end = chunk_end(at, tiles);
        next = chunk_first(state->ticket[turn], tiles);
        take_ticket();
    }
    if (threadIdx.x == 0) state->threshold = max(state->threshold, state->others_threshold[turn]);
    __syncthreads();  // the set and its threshold are complete
}

/// Appends the block's candidates that reach the threshold, at most 2 k + 16, to the list of all
/// blocks, and draws a ticket. True in the block that draws the last one: then the list is
/// complete.
template <class Key, class Set, int kSlotsPerThread>
__device__ bool append_to_list(const TopKParams<Key>& params, const Set& set,
                               KeyIndex (&entries)[kSlotsPerThread]) {
    BlockState* const state = set.state;
    if (state->candidates > 2 * set.k + 16) set.keep_best();
    set.read(entries);
    const KeyIndex threshold = state->threshold;
    unsigned mine = 0;
#pragma unroll
    for (int i = 0; i < kSlotsPerThread; ++i) {
        if (entries[i] < threshold) entries[i] = 0;
        mine += entries[i] != 0;
    }
    if (threadIdx.x == 0) state->at_or_above[0] = 0;
    __syncthreads();  // the counter is cleared
    unsigned position = mine != 0 ? atomicAdd(&state->at_or_above[0], mine) : 0;
    __syncthreads();  // all entries are counted
    unsigned long long* const progress = &params.scratch.control->progress;
    const unsigned long long appended = state->at_or_above[0];
    if (threadIdx.x == 0) {
        const unsigned long long before = appended != 0 ? atomicAdd(progress, appended << 32) : 0;
        state->position = static_cast<unsigned>(before >> 32);
    }
    __syncthreads();  // the block has its part of the list
    position += state->position;
#pragma unroll
    for (int i = 0; i < kSlotsPerThread; ++i) {
        if (entries[i] != 0) params.scratch.list[position++] = entries[i];
    }
    __syncthreads();  // the block's entries are written
    if (threadIdx.x == 0) {
        __threadfence();  // release: they are visible before the ticket is
        const unsigned long long before = atomicAdd(progress, 1ull);
        __threadfence();  // acquire: whoever sees a block's ticket sees its entries
        state->last = static_cast<unsigned>(before) == gridDim.x - 1;
        state->listed = static_cast<unsigned>(before >> 32);
    }
    __syncthreads();  // all threads know
    return state->last;
}

/// In the last block: the k best of the list, in order, to the result. better_threshold() may tell
/// more of the threshold than the blocks have found. Leaves `control` as it was before the launch.
template <class Key, class Set, class Threshold>
__device__ void finish(const TopKParams<Key>& params, const Set& set,
                       const Threshold& better_threshold) {
    constexpr int kLoads = 8;  // in flight per thread
    constexpr unsigned kRound = kThreads * kLoads;
    const unsigned listed = set.state->listed;
    const auto item = [&](unsigned first, unsigned i) {
        const unsigned at = first + i * kThreads + threadIdx.x;
        return at < listed ? params.scratch.list[at] : 0;
    };
    KeyIndex items[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) items[i] = item(0, i);  // while the threshold is found
    set.clear();
    const KeyIndex threshold = max(better_threshold(), highest_threshold(params));
    if (threadIdx.x == 0) set.state->threshold = max(set.state->threshold, threshold);
    __syncthreads();  // the set is empty
    for (unsigned first = 0; first < listed; first += kRound) {
        KeyIndex bound = set.state->threshold;
        unsigned pending = 0;  // one bit per item
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            if (first > 0) items[i] = item(first, i);
            pending |= static_cast<unsigned>(items[i] != 0 && items[i] >= bound) << i;
        }
        bool again = true;
        while (again) {
            // Hardly any; they are read again, so that this is one short loop.
            bool repeated = false;  // distinct: a value came again
            for (bool room = true; room && pending != 0; pending &= pending - 1) {
                if (repeated && __popc(pending) > 4) break;
                const KeyIndex candidate = item(first, __ffs(static_cast<int>(pending)) - 1);
                if (candidate >= bound) room = set.insert(candidate, &repeated);
            }
            again = __syncthreads_or(pending != 0);
            if (Set::kIsDistinct && again) {
                // All blocks have found the same few values: most items are in already.
                for (unsigned rest = pending; rest != 0; rest &= rest - 1) {
                    if (set.holds(item(first, __ffs(static_cast<int>(rest)) - 1))) {
                        pending &= ~(rest & (0 - rest));
                    }
                }
            }
            const unsigned candidates = set.state->candidates;
            __syncthreads();  // all threads know how many candidates there are
            if (candidates > Set::kLimit) set.keep_best();
            bound = set.state->threshold;
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
