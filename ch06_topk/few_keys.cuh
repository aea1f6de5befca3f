// The k best of few keys: no block waits for another, and every step is as short as it can be.
//
// A block has one tile, and a floor of its own: see floor_of_groups. What reaches it is put in
// order by counting. The last block to finish merges the blocks' lists: of each entry it counts how
// many are better, list by list.
#pragma once

#include "grid_floor.cuh"

namespace topk {

constexpr unsigned kFewK = 128;    ///< up to this k a thread has kFewEach slots
constexpr unsigned kFewerK = 32;   ///< up to this k 64 groups of threads are many more
constexpr unsigned kFewTiles = 8;  ///< blocks

/// A thread's keys where its block has one tile only: what is asked of them is their ranks.
template <class Key>
struct OneTile {
    static constexpr unsigned kKeys = Tile<Key>::kKeys;
    Key keys[kKeys];
    bool full;

    /// Where in the tile the i-th key is. In a tile that is not full, every thread has some.
    __device__ __forceinline__ unsigned offset(unsigned i) const {
        return full ? Tile<Key>::offset(i) : i * kThreads + threadIdx.x;
    }

    /// The keys of the tile at `base`; behind the last one of rank 0.
    __device__ __forceinline__ void load(const Job<Key>& job, unsigned base) {
        full = job.n - base >= kTile;
        if (full) {
            Tile<Key> tile;
            tile.load_full(job, base);
            tile.for_each([&](unsigned i, Key key) { keys[i] = key; });
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            keys[i] = offset(i) < job.n - base ? __ldcs(job.keys + base + offset(i))
                                               : Order<Key>::key(0, job.flip);
        }
    }

    __device__ __forceinline__ unsigned rank(const Job<Key>& job, unsigned i) const {
        return Order<Key>::rank(keys[i], job.flip);
    }

    __device__ __forceinline__ unsigned best_rank(const Job<Key>& job) const {
        unsigned best = 0;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) best = max(best, rank(job, i));
        return best;
    }

    /// Where in the tile the first key of this rank is, the best of equal ones. The thread has one.
    __device__ __forceinline__ unsigned first_of(const Job<Key>& job, unsigned wanted) const {
        unsigned first = 0;
#pragma unroll
        for (unsigned i = kKeys - 1; i > 0; --i) {
            if (rank(job, i) == wanted) first = i;
        }
        return offset(rank(job, 0) == wanted ? 0 : first);
    }

    /// The best of the keys; 0 if there is none.
    __device__ __forceinline__ Composite best(const Job<Key>& job, unsigned base) const {
        const unsigned best = best_rank(job);
        const unsigned at = first_of(job, best);
        const bool there = Order<Key>::is_value(best) && at < job.n - base;
        return there ? make_composite(best, base + at) : 0;
    }

    /// Which of the keys reach this rank, one bit each.
    __device__ __forceinline__ unsigned reaching(const Job<Key>& job, unsigned base,
                                                 unsigned least) const {
        least = max(least, Order<Key>::kLeastRank);
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            bits |= static_cast<unsigned>(rank(job, i) >= least) << i;
        }
        if (least != 0) return bits;
        const unsigned left = job.n - base;  // keys of the tile, if it is not full
        const unsigned mine = full ? kKeys : (left + kThreads - 1 - threadIdx.x) / kThreads;
        return bits & ((1u << mine) - 1);
    }
};

/// A rank that at least k of the block's keys reach, from the bests of kGroups groups of
/// neighbouring threads; 0 if there are not so many. `best`: this thread's. All threads together.
template <unsigned kGroups>
__device__ inline unsigned floor_of_groups(unsigned best, unsigned k, unsigned (&bests)[kGroups],
                                           unsigned& floor) {
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
    if (lane == 0 && better == k - 1) floor = best;
    __syncthreads();  // the floor is known
    return floor;
}

/// visit(place, candidate) for each of at most kMax candidates; `place` in their order, the best
/// first: it is the number of those that are better. Several threads count for one.
template <unsigned kMax, class Visit>
__device__ __forceinline__ void in_order(const Composite* candidates, unsigned count,
                                         const Visit& visit) {
    constexpr unsigned kLanes = kThreads / kMax;
    if (threadIdx.x / 32 * 32 / kLanes >= count) return;
    const unsigned at = threadIdx.x / kLanes;
    const Composite mine = at < count ? candidates[at] : 0;
    unsigned better = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x % kLanes; i < count; i += kLanes) better += candidates[i] > mine;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        better += __shfl_xor_sync(kFullMask, better, distance);
    }
    if (at < count && threadIdx.x % kLanes == 0) visit(better, mine);
}

/// How many of a descending list of k are better than `mine`.
__device__ inline unsigned better_in(const Composite* list, unsigned k, Composite mine) {
    unsigned better = 0;
    for (unsigned step = 1u << (31 - __clz(k)); step > 0; step /= 2) {
        if (better + step <= k && list[better + step - 1] > mine) better += step;
    }
    return better;
}

}  // namespace topk
