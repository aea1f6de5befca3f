// best, small k, first half: the best of every segment is published, and block 0 finds the k best
// segments.
//
// From the ladder: 16-byte reads (vector_queue). Adds: no threshold at all while the keys are read.
// A segment is what one warp reads, or four of a block, keys side by side. If k segments are better
// than this one, each of them has a key that is better than all keys here; so the k best keys are
// in the k best segments. A summary is never 0: block 0 reads each until it is there. All other
// blocks are done when they have published theirs, and wait for nothing.
#pragma once

#include "candidate_set.cuh"

namespace topk {

/// A segment's best radix key, and where it is: see make_summary. It compares as a KeyIndex does.
using SegmentSummary = KeyIndex;

constexpr unsigned kMaxWarpsPerSegment = 4;
constexpr unsigned kSegmentRow = 32 * 4;  ///< keys that a warp reads with one vector per lane
constexpr SegmentSummary kNoKeys = 1;     ///< of a segment without a key

constexpr unsigned kGroups = 64;  ///< of neighbouring threads: twice as many as k can be

/// Shared memory of the block that collects.
struct Collector {
    KeyIndex bests[kGroups];                ///< of add: of groups of neighbouring threads
    unsigned full_rescan_segments;          ///< segments of which one thread's keys are not enough
    unsigned full_rescan[kMaxSegmentK];     ///< which, the best first
    SegmentSummary segments[kMaxSegmentK];  ///< the summaries of the best segments, the best first
};

// ---- All blocks: the summaries ---------------------------------------------------------------

/// The best radix key of the keys. One instruction per key: max() and min() take a NaN only where
/// all are, and -0 is below +0.
template <unsigned kKeys, class Key>
__device__ __forceinline__ unsigned best_radix_key(const Key (&keys)[kKeys], unsigned order_mask) {
    Key best = keys[0];
    if (order_mask == KeyOrder<Key>::order_mask(true)) {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = max(best, keys[i]);
    } else {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = min(best, keys[i]);
    }
    return KeyOrder<Key>::radix_key(best, order_mask);
}

/// The best radix key of every 32nd of `count` keys from this lane's own on; 0 if there is none.
/// Not inlined: only the last segment is not full, and all others would step over this.
template <unsigned kKeys, class Key>
__device__ __noinline__ unsigned best_radix_key_of_part(const Key* keys, unsigned count,
                                                        unsigned order_mask) {
    Key mine[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = i * 32 + threadIdx.x % 32;
        mine[i] = at < count ? keys[at] : KeyOrder<Key>::key(0, order_mask);
    }
    return best_radix_key(mine, order_mask);
}

/// The best radix key of this lane's keys of the kReads rows at `base`, all of them asked for
/// before the first is used; 0 if there is none. Meanwhile, meanwhile().
template <unsigned kReads, class Key, class Meanwhile>
__device__ __forceinline__ unsigned best_radix_key_of_lane(const TopKParams<Key>& params,
                                                           unsigned base,
                                                           const Meanwhile& meanwhile) {
    constexpr unsigned kKeys = kReads * 4;
    const unsigned left = base < params.n ? params.n - base : 0;
    if (left < kReads * kSegmentRow) {
        return best_radix_key_of_part<kKeys>(params.keys + base, left, params.order_mask);
    }
    using Vector = typename VectorOf<Key>::Type;
    const auto* const vectors = reinterpret_cast<const Vector*>(params.keys + base);
    Key keys[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
        const Vector vector = vectors[i * 32 + threadIdx.x % 32];
        keys[4 * i] = vector.x;
        keys[4 * i + 1] = vector.y;
        keys[4 * i + 2] = vector.z;
        keys[4 * i + 3] = vector.w;
    }
    meanwhile();
    return best_radix_key(keys, params.order_mask);
}

/// The best and the second of some threads' bests.
struct Bests {
    unsigned best;    ///< the best radix key; 0 if there is none
    unsigned thread;  ///< which read it: of the segment, the first one
    unsigned second;  ///< the best radix key that another thread has read, as good or not

    /// Of these and of those of later threads.
    __device__ __forceinline__ Bests with(const Bests& later) const {
        return {max(best, later.best), later.best > best ? later.thread : thread,
                max(min(best, later.best), max(second, later.second))};
    }
};

/// Of a warp, given the best of this lane, `mine`. Must be called by all lanes of the warp.
template <unsigned kWarpsPerSegment>
__device__ __forceinline__ Bests bests_of_warp(unsigned mine) {
    const unsigned best = warp_max(mine);
    const unsigned lane = __ffs(static_cast<int>(__ballot_sync(kFullMask, mine == best))) - 1;
    const unsigned second = warp_max(threadIdx.x % 32 == lane ? 0 : mine);
    return {best, threadIdx.x / 32 % kWarpsPerSegment * 32 + lane, second};
}

/// A segment's summary: its best radix key; below it as complement, so that of equal radix keys the
/// first segment is the best, which segment that is; which thread of it read the best key; and how
/// much better that is than the keys of all other threads: by at least 2^lead, or,
/// if lead is 0, perhaps not at all.
__device__ inline SegmentSummary make_summary(unsigned radix_key, unsigned segment, unsigned thread,
                                              unsigned lead) {
    return SegmentSummary{radix_key} << 32 |
           static_cast<unsigned>(~(segment << 12 | thread << 5 | lead));
}
__device__ inline unsigned segment_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) >> 12;
}
__device__ inline unsigned thread_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) >> 5 & 127;
}
__device__ inline unsigned lead_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) & 31;
}

/// The summary of a segment of `keys` keys.
template <class Key>
__device__ __forceinline__ SegmentSummary summary_of_segment(const TopKParams<Key>& params,
                                                             unsigned segment, unsigned keys,
                                                             const Bests& bests) {
    const unsigned base = segment * keys;
    if (base >= params.n || !KeyOrder<Key>::is_value(bests.best)) return kNoKeys;
    const unsigned lead = params.n - base >= keys ? bests.best - bests.second : 0;
    return make_summary(bests.best, segment, bests.thread,
                        lead < 2 ? 0 : 31 - __clz(static_cast<int>(lead)));
}

// ---- Block 0: the best segments --------------------------------------------------------------

/// Adds the threads' items that reach the threshold to the set. Where more than kOrdered threads
/// have some, the threshold rises first: to the k-th best of what neighbouring threads have. Must
/// be called by all threads of the block.
template <unsigned kItems, class Set>
__device__ __forceinline__ void add(const Set& set, Items<kItems>& mine, Collector& collector) {
    KeyIndex best = mine.best();
    const unsigned threads = __syncthreads_count(best >= set.state->threshold);
    if (threads == 0) return;
    if (threads > kOrdered) {
        constexpr unsigned kLanes = kThreads / kGroups;  // of a group
#pragma unroll
        for (unsigned distance = 1; distance < kLanes; distance *= 2) {
            best = max(best, __shfl_xor_sync(kFullMask, best, distance));
        }
        if (threadIdx.x % kLanes == 0) collector.bests[threadIdx.x / kLanes] = best;
        __syncthreads();  // the groups' bests are known
        in_order<kGroups>(collector.bests, kGroups, [&](unsigned place, KeyIndex item) {
            if (place == set.k - 1) set.state->threshold = max(set.state->threshold, item);
        });
        __syncthreads();  // the threshold is known
    }
    set.insert_items(mine, 0);
}

/// This thread's summaries of the batch that begins with number `first`. Asks for all of them
/// before it uses one, waits until they are there, and clears them, so that the next launch finds
/// zeros again.
template <unsigned kItems>
__device__ __forceinline__ void take(SegmentSummary* summaries, unsigned first, unsigned count,
                                     Items<kItems>& batch) {
    SegmentSummary(&summary)[kItems] = batch.item;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        summary[i] = first + i * kThreads + threadIdx.x < count ? 0 : kNoKeys;
    }
    SegmentSummary* const mine = summaries + first + threadIdx.x;
    bool are_there = false;
    for (; !are_there; spin_yield()) {
        SegmentSummary seen[kItems];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
            seen[i] = summary[i] == 0 ? load_relaxed(mine + i * kThreads) : 0;
        }
        are_there = true;
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
            if (seen[i] != 0) store_relaxed(mine + i * kThreads, SegmentSummary{0});
            summary[i] |= seen[i];
            are_there = are_there && summary[i] != 0;
        }
    }
}

/// The summaries of the k best of `count` segments to collector.segments, in order; of fewer, if
/// not so many have a key. Returns how many. The set is empty; the threshold becomes one for keys.
/// Must be called by all threads of the block.
template <unsigned kAtOnce, class Set>
__device__ __forceinline__ unsigned best_segments(const Set& set, SegmentSummary* summaries,
                                                  unsigned count, Collector& collector) {
#pragma unroll 1
    for (unsigned first = 0; first < count; first += kAtOnce * kThreads) {
        Items<kAtOnce> mine;
        take(summaries, first, count, mine);
        add(set, mine, collector);
    }
    // At least k keys have the radix key of the k-th summary, or a better one.
    const unsigned found = set.state->candidates;
    if (threadIdx.x == 0 && found < set.k) set.state->threshold = 1;
    in_order(set.slots, found, [&](unsigned position, SegmentSummary summary) {
        if (position < set.k) collector.segments[position] = summary;
        if (position == set.k - 1) {
            set.state->threshold = max(KeyIndex{radix_key_of(summary)} << 32, KeyIndex{1});
        }
    });
    __syncthreads();  // the segments are in order, and the threshold is known
    return min(found, set.k);
}

}  // namespace topk
