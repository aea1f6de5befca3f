// Where a block has one tile: its keys, a threshold from them, and an order found by counting.
//
// From the ladder: the threshold. Adds: it comes from the bests of groups of the block's own
// threads, before any key is inserted anywhere; and no list is kept sorted, because an entry's
// place is the number of entries that are better.
#pragma once

#include "grid_threshold.cuh"

namespace topk {

/// A thread's keys where its block has one tile only: only their radix keys matter.
template <class Key>
struct OneTile {
    static constexpr unsigned kKeys = Tile<Key>::kKeys;
    Key keys[kKeys];
    bool full;

    /// Where in the tile the i-th key is. In a tile that is not full, every thread has some.
    __device__ __forceinline__ unsigned offset(unsigned i) const {
        return full ? Tile<Key>::offset(i) : i * kThreads + threadIdx.x;
    }

    /// The keys of the tile at `base`; behind the last one of radix key 0.
    __device__ __forceinline__ void load(const TopKParams<Key>& params, unsigned base) {
        full = params.n - base >= kTile;
        if (full) {
            Tile<Key> tile;
            tile.load_full(params, base);
            tile.for_each([&](unsigned i, Key key) { keys[i] = key; });
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            keys[i] = offset(i) < params.n - base ? __ldcs(params.keys + base + offset(i))
                                                  : KeyOrder<Key>::key(0, params.order_mask);
        }
    }

    __device__ __forceinline__ unsigned radix_key(const TopKParams<Key>& params, unsigned i) const {
        return KeyOrder<Key>::radix_key(keys[i], params.order_mask);
    }

    __device__ __forceinline__ unsigned best_radix_key(const TopKParams<Key>& params) const {
        unsigned best = 0;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) best = max(best, radix_key(params, i));
        return best;
    }

    /// Where in the tile the thread's first key with this radix key is, the best of equal ones.
    /// There is one.
    __device__ __forceinline__ unsigned first_of(const TopKParams<Key>& params,
                                                 unsigned wanted) const {
        unsigned first = 0;
#pragma unroll
        for (unsigned i = kKeys - 1; i > 0; --i) {
            if (radix_key(params, i) == wanted) first = i;
        }
        return offset(radix_key(params, 0) == wanted ? 0 : first);
    }

    /// The best of the keys; 0 if there is none.
    __device__ __forceinline__ KeyIndex best(const TopKParams<Key>& params, unsigned base) const {
        const unsigned best = best_radix_key(params);
        const unsigned at = first_of(params, best);
        const bool there = KeyOrder<Key>::is_value(best) && at < params.n - base;
        return there ? make_key_index(best, base + at) : 0;
    }

    /// Which of the keys reach this radix key, one bit each.
    __device__ __forceinline__ unsigned at_or_above(const TopKParams<Key>& params, unsigned base,
                                                    unsigned min_radix_key) const {
        min_radix_key = max(min_radix_key, KeyOrder<Key>::kMinRadixKey);
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            bits |= static_cast<unsigned>(radix_key(params, i) >= min_radix_key) << i;
        }
        if (min_radix_key != 0) return bits;
        const unsigned left = params.n - base;  // keys of the tile, if it is not full
        const unsigned mine = full ? kKeys : (left + kThreads - 1 - threadIdx.x) / kThreads;
        return bits & ((1u << mine) - 1);
    }
};

/// A radix key that at least k of the block's keys reach, from the bests of kGroups groups of
/// neighbouring threads; 0 if there are not so many. `best`: this thread's. Must be called by all
/// threads of the block.
template <unsigned kGroups>
__device__ inline unsigned threshold_of_groups(unsigned best, unsigned k,
                                               unsigned (&bests)[kGroups], unsigned& threshold) {
    constexpr unsigned kLanes = kThreads / kGroups;  // of a group
    static_assert(kLanes <= 32 && kGroups % (4 * kLanes) == 0);
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        best = max(best, __shfl_xor_sync(kFullMask, best, distance));
    }
    const unsigned group = threadIdx.x / kLanes;
    const unsigned lane = threadIdx.x % kLanes;
    if (lane == 0) bests[group] = best;
    __syncthreads();  // the groups' bests are known
    // How many are better; of equal ones, those of lower groups. Each lane counts its share.
    unsigned better = 0;
    const auto* const vectors = reinterpret_cast<const uint4*>(bests);
#pragma unroll 2
    for (unsigned i = 0; i < kGroups / kLanes / 4; ++i) {
        const unsigned at = i * kLanes + lane;
        const uint4 four = vectors[at];
        better += four.x > best || (four.x == best && 4 * at < group);
        better += four.y > best || (four.y == best && 4 * at + 1 < group);
        better += four.z > best || (four.z == best && 4 * at + 2 < group);
        better += four.w > best || (four.w == best && 4 * at + 3 < group);
    }
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        better += __shfl_xor_sync(kFullMask, better, distance);
    }
    if (lane == 0 && better == k - 1) threshold = best;
    __syncthreads();  // the threshold is known
    return threshold;
}

/// visit(place, candidate) for each of at most kMax candidates; `place` in their order, the best
/// first: it is the number of those that are better. Several threads count for one.
template <unsigned kMax, class Visit>
__device__ __forceinline__ void in_order(const KeyIndex* candidates, unsigned count,
                                         const Visit& visit) {
    constexpr unsigned kLanes = kThreads / kMax;
    if (threadIdx.x / 32 * 32 / kLanes >= count) return;
    const unsigned at = threadIdx.x / kLanes;
    const KeyIndex mine = at < count ? candidates[at] : 0;
    unsigned better = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x % kLanes; i < count; i += kLanes) better += candidates[i] > mine;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        better += __shfl_xor_sync(kFullMask, better, distance);
    }
    if (at < count && threadIdx.x % kLanes == 0) visit(better, mine);
}

}  // namespace topk
