// best, small k, first half: the best of every segment is published, and block 0 finds the k best
// segments.
//
// From the ladder: 16-byte reads (vector_queue). Adds: no threshold at all while the keys are read.
// A segment is what one warp reads, or four of a block, keys side by side. If k segments are better
// than this one, each of them has a key that is better than all keys here; so the k best keys are
// in the k best segments. A summary is never 0: block 0 reads each until it is there. All other
// blocks are done when they have published theirs, and wait for nothing.
#pragma once

#include "tile_threshold.cuh"

namespace topk {

/// A segment's best radix key, and where it is: see make_summary. It compares as a KeyIndex does.
using SegmentSummary = KeyIndex;

constexpr unsigned kMaxWarpsPerSegment = 4;
constexpr unsigned kSegmentRow = 32 * 4;  ///< keys that a warp reads with one vector per lane
constexpr unsigned kPolledGroups = 64;    ///< of neighbouring threads: many more than k
constexpr unsigned kOrdered = 128;        ///< up to this many, an order is found by counting
constexpr SegmentSummary kNoKeys = 1;     ///< of a segment without a key

/// Shared memory of the block that collects.
struct Collector {
    alignas(16) unsigned bests[kPolledGroups];  ///< of counted_threshold
    unsigned threshold;                         ///< the same
    unsigned sync_requested;             ///< of insert_rest: a warp asks all others for a barrier
    unsigned items;                      ///< keys found in the segments
    unsigned full_rescan_segments;       ///< segments of which one thread's keys are not enough
    unsigned full_rescan[kMaxSegmentK];  ///< which
    SegmentSummary segments[kMaxSegmentK];  ///< the summaries of the best segments, the best first
};

// ---- All blocks: the summaries ---------------------------------------------------------------

/// The larger and the smaller of two keys, one instruction each: -0 is below +0, and NaN is taken
/// only where both are. In the emulator fmaxf() may take either zero.
__device__ inline int larger_key(int a, int b) { return max(a, b); }
__device__ inline int smaller_key(int a, int b) { return min(a, b); }
__device__ inline float larger_key(float a, float b) {
#if defined(__CUDACC__)
    return fmaxf(a, b);
#else
    using Order = KeyOrder<float>;
    const unsigned mask = Order::order_mask(true);
    return Order::radix_key(a, mask) > Order::radix_key(b, mask) ? a : b;
#endif
}
__device__ inline float smaller_key(float a, float b) {
#if defined(__CUDACC__)
    return fminf(a, b);
#else
    using Order = KeyOrder<float>;
    const unsigned mask = Order::order_mask(false);
    return Order::radix_key(a, mask) > Order::radix_key(b, mask) ? a : b;
#endif
}

/// The best radix key of the keys.
template <unsigned kKeys, class Key>
__device__ __forceinline__ unsigned best_radix_key(const Key (&keys)[kKeys], unsigned order_mask) {
    Key best = keys[0];
    if (order_mask == KeyOrder<Key>::order_mask(true)) {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = larger_key(best, keys[i]);
    } else {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = smaller_key(best, keys[i]);
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
template <unsigned kReads, bool kStreaming, class Key, class Meanwhile>
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
        const Vector* const from = vectors + i * 32 + threadIdx.x % 32;
        const Vector vector = load_vector<kStreaming>(from);
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

/// Which of kThreads summaries thread `thread` reads, so that summaries of neighbouring segments go
/// to threads of different groups: the bests of sorted data stand side by side.
__device__ inline unsigned summary_of_thread(unsigned thread) {
    constexpr unsigned kLanes = kThreads / kPolledGroups;
    return thread % kLanes * kPolledGroups + thread / kLanes;
}

/// Where summary number `summary` lies: the 32 summaries that a warp reads at once lie side by
/// side.
__device__ inline unsigned summary_slot(unsigned summary) {
    constexpr unsigned kLanes = kThreads / kPolledGroups;
    const unsigned within = summary % kThreads;
    return summary - within + within % kPolledGroups * kLanes + within / kPolledGroups;
}

/// A KeyIndex that at least k of the threads' items reach, from the bests of groups of threads; 0
/// if there are not so many. `best`: this thread's. Must be called by all threads of the block.
__device__ inline KeyIndex counted_threshold(KeyIndex best, unsigned k, Collector& collector) {
    const unsigned radix_key = threshold_of_groups<kPolledGroups>(
        radix_key_of(best), k, collector.bests, collector.threshold);
    const bool reaches = radix_key_of(best) >= radix_key;
    const auto count = static_cast<unsigned>(__syncthreads_count(reaches));
    if (count <= 4 * k + 32) return KeyIndex{radix_key} << 32;
    // Many are equal: of those at the threshold the first are enough, found the same way.
    unsigned low = 0;
    if (reaches) low = radix_key_of(best) == radix_key ? static_cast<unsigned>(best) : ~0u;
    low = threshold_of_groups<kPolledGroups>(low, k, collector.bests, collector.threshold);
    return KeyIndex{radix_key} << 32 | low;
}

/// Inserts item_of(i) for each bit i of `pending`, or fewer: only ever the k best stay. Then there
/// are at most kLimit in the set. Must be called by all threads of the block.
template <class Set, class Item>
__device__ __forceinline__ void insert_pending(const Set& set, unsigned pending,
                                               const Item& item_of) {
    bool again = true;
    while (again) {
        for (bool room = true; room && pending != 0; pending &= pending - 1) {
            const KeyIndex item = item_of(__ffs(static_cast<int>(pending)) - 1);
            if (item != 0 && item >= set.state->threshold) room = set.insert(item);
        }
        again = __syncthreads_or(pending != 0);
        if (set.state->candidates > Set::kLimit) set.keep_best();
        __syncthreads();  // all threads know how many are in
    }
}

// ---- Block 0: the best segments --------------------------------------------------------------

/// This thread's summaries of a batch: kAtOnce, which it asks for before it uses the first.
template <unsigned kAtOnce>
struct SummaryBatch {
    static constexpr unsigned kBatch = kAtOnce * kThreads;  ///< summaries of all threads
    SegmentSummary summary[kAtOnce];

    /// Those of the batch that begins with summary `first`. Waits until they are there, and clears
    /// them, so that the next launch finds zeros again.
    __device__ __forceinline__ void take(SegmentSummary* summaries, unsigned first,
                                         unsigned count) {
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            summary[i] =
                first + i * kThreads + summary_of_thread(threadIdx.x) < count ? 0 : kNoKeys;
        }
        SegmentSummary* const mine = summaries + first + threadIdx.x;
        bool are_there = false;
        for (; !are_there; spin_yield()) {
            SegmentSummary seen[kAtOnce];
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                seen[i] = summary[i] == 0 ? load_relaxed(mine + i * kThreads) : 0;
            }
            are_there = true;
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                if (seen[i] != 0) store_relaxed(mine + i * kThreads, SegmentSummary{0});
                summary[i] |= seen[i];
                are_there = are_there && summary[i] != 0;
            }
        }
    }

    __device__ __forceinline__ KeyIndex best() const {
        KeyIndex best = 0;
#pragma unroll
        for (const SegmentSummary each : summary) best = max(best, each);
        return best;
    }

    /// Which of them reach the threshold, one bit each.
    __device__ __forceinline__ unsigned at_or_above(KeyIndex threshold) const {
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            bits |= static_cast<unsigned>(summary[i] >= threshold) << i;
        }
        return bits;
    }

    /// Summary number `wanted`; without an index, which would move all of them to local memory.
    __device__ __forceinline__ KeyIndex at(int wanted) const {
        KeyIndex item = summary[0];
#pragma unroll
        for (int i = 1; i < static_cast<int>(kAtOnce); ++i) item = i == wanted ? summary[i] : item;
        return item;
    }
};

/// Inserts all summaries behind the first batch that reach the threshold. Each warp goes at its own
/// pace, since other blocks still read, and since hardly a summary reaches the threshold; the block
/// comes to a barrier where that is not so.
template <class Mine, class Set>
__device__ __forceinline__ void insert_rest(const Set& set, SegmentSummary* summaries,
                                            unsigned count, KeyIndex threshold,
                                            Collector& collector) {
    unsigned next = Mine::kBatch;
    bool more = true;
    while (more) {
        Mine mine;
        unsigned pending = 0;
        bool sync_requested = false;
        while (next < count && !sync_requested) {
            mine.take(summaries, next, count);
            next += Mine::kBatch;
            pending = mine.at_or_above(threshold);
            // Two of so few: the threshold is not what it should be.
            sync_requested = __any_sync(kFullMask, (pending & (pending - 1)) != 0);
            if (!sync_requested && __any_sync(kFullMask, pending != 0)) {
                const bool room = pending == 0 || set.insert(mine.best());
                pending = 0;
                sync_requested = !__all_sync(kFullMask, room);
            }
            unsigned others = 0;
            if (threadIdx.x % 32 == 0)
                others = atomicOr(&collector.sync_requested, sync_requested ? 1u : 0u);
            sync_requested = sync_requested || __shfl_sync(kFullMask, others, 0) != 0;
        }
        more = __syncthreads_or(next < count || sync_requested);
        if (!more && set.state->candidates <= Set::kLimit) return;
        const KeyIndex best = pending != 0 ? mine.best() : 0;
        if (__syncthreads_count(best >= threshold) > static_cast<int>(Set::kLimit / 4)) {
            threshold = max(threshold, counted_threshold(best, set.k, collector));
        }
        if (threadIdx.x == 0) collector.sync_requested = 0;
        if (set.keep_at_or_above(threshold) > Set::kLimit) set.keep_best();
        threshold = max(threshold, set.state->threshold);
        insert_pending(set, pending != 0 ? mine.at_or_above(threshold) : 0,
                       [&](int i) { return mine.at(i); });
        threshold = max(threshold, set.state->threshold);
        more = __syncthreads_or(next < count);
    }
}

/// Inserts all summaries that reach the threshold, where they are more than kOrdered in the first
/// batch, so equal or in order, or where others are still to be taken. Not inlined: block 0 goes
/// through its code once, and waits for each line of it. Must be called by all threads of the
/// block.
template <bool kMayBeMore, class Mine, class Set>
__device__ __noinline__ void insert_all_summaries(Set set, Mine mine, SegmentSummary* summaries,
                                                  unsigned count, KeyIndex threshold,
                                                  Collector* collector) {
    const unsigned found = set.state->candidates;
    __syncthreads();  // all threads know
    if (found > kOrdered) {
        if (threadIdx.x == 0) set.state->candidates = 0;
        __syncthreads();  // the set is empty
        insert_pending(set, mine.at_or_above(threshold), [&](int i) { return mine.at(i); });
    }
    if constexpr (kMayBeMore) {
        if (count > Mine::kBatch) insert_rest<Mine>(set, summaries, count, threshold, *collector);
    }
}

/// The summaries of the k best segments to collector.segments, in order; of fewer segments, if not
/// so many have a key. Returns how many. `mine`: this thread's of the first of `count` summaries,
/// and the others are still to be taken, if there may be more than a batch. The set is empty, its
/// threshold 0, and collector.sync_requested 0. Must be called by all threads of the block.
template <bool kMayBeMore, class Mine, class Set>
__device__ __forceinline__ unsigned best_segments(const Set& set, const Mine& mine,
                                                  SegmentSummary* summaries, unsigned count,
                                                  Collector& collector) {
    const KeyIndex threshold = max(counted_threshold(mine.best(), set.k, collector), kNoKeys + 1);
#pragma unroll 1
    for (unsigned bits = mine.at_or_above(threshold); bits != 0; bits &= bits - 1) {
        const unsigned position = atomicAdd(&set.state->candidates, 1u);
        if (position < Set::kSlots)
            set.slots[position] = mine.at(__ffs(static_cast<int>(bits)) - 1);
    }
    __syncthreads();  // the summaries are in, if there is room
    unsigned found = set.state->candidates;
    if (found > kOrdered || (kMayBeMore && count > Mine::kBatch)) {
        insert_all_summaries<kMayBeMore>(set, mine, summaries, count, threshold, &collector);
        found = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, found, [&](unsigned position, SegmentSummary summary) {
        if (position < set.k) collector.segments[position] = summary;
    });
    __syncthreads();  // the segments are in order
    return min(found, set.k);
}

}  // namespace topk
