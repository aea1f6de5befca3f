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
constexpr unsigned kPolledGroups = 64;    ///< of neighbouring threads: many more than k
constexpr SegmentSummary kNoKeys = 1;     ///< of a segment without a key

/// Shared memory of the block that collects.
struct Collector {
    alignas(16) unsigned bests[kPolledGroups];  ///< of threshold_of_groups
    unsigned threshold;                         ///< the same
    unsigned full_rescan_segments;          ///< segments of which one thread's keys are not enough
    unsigned full_rescan[kMaxSegmentK];     ///< which, the best first
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

// ---- Block 0: the best segments --------------------------------------------------------------

/// What one thread has of the items from which the block chooses the k best; 0: nothing.
template <unsigned kItems>
struct Items {
    KeyIndex item[kItems];

    __device__ __forceinline__ KeyIndex best() const {
        KeyIndex best = 0;
#pragma unroll
        for (const KeyIndex each : item) best = max(best, each);
        return best;
    }

    /// Which of them reach the threshold, one bit each.
    __device__ __forceinline__ unsigned at_or_above(KeyIndex threshold) const {
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
            bits |= static_cast<unsigned>(item[i] >= threshold) << i;
        }
        return bits;
    }

    /// Inserts those whose bits are set, or fewer if there is no room for more; the bits of the
    /// others stay. An index would move all items to local memory, so each is chosen by comparing.
    template <class Set>
    __device__ __forceinline__ void insert(const Set& set, unsigned& bits) const {
        bool room = true;
#pragma unroll 1
        for (; room && bits != 0; bits &= bits - 1) {
            const int wanted = __ffs(static_cast<int>(bits)) - 1;
            KeyIndex chosen = item[0];
#pragma unroll
            for (int i = 1; i < static_cast<int>(kItems); ++i)
                chosen = i == wanted ? item[i] : chosen;
            room = set.insert(chosen);
        }
    }
};

/// A radix key that at least k of the block's keys reach, from the bests of kPolledGroups groups of
/// neighbouring threads; 0 if there are not so many. `best`: this thread's. Must be called by all
/// threads of the block.
__device__ inline unsigned threshold_of_groups(unsigned best, unsigned k,
                                               unsigned (&bests)[kPolledGroups],
                                               unsigned& threshold) {
    constexpr unsigned kLanes = kThreads / kPolledGroups;  // of a group
    static_assert(kLanes <= 32 && kPolledGroups % (4 * kLanes) == 0);
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
    for (unsigned i = 0; i < kPolledGroups / kLanes / 4; ++i) {
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

/// The k-th largest of the threads' items. Not inlined, as all that is rare: block 0 goes through
/// its code once, and waits for each line of it.
__device__ __noinline__ inline KeyIndex kth_of_threads(KeyIndex mine, unsigned k,
                                                       BlockState* state) {
    const KeyIndex entries[1] = {mine};
    return kth_largest(entries, k, 0, state);
}

/// The set is too full: keeps its k best, and inserts what the threads still have, until all of it
/// is in or not good enough. Returns the threshold.
template <unsigned kItems, class Set>
__device__ __noinline__ KeyIndex insert_rest(Set set, Items<kItems> mine, unsigned bits) {
    while (true) {
        const KeyIndex threshold = set.keep_best();
        bits &= mine.at_or_above(threshold);
        mine.insert(set, bits);
        const bool again = __syncthreads_or(bits != 0);
        if (!again && set.state->candidates <= Set::kLimit) return threshold;
    }
}

/// Adds the threads' items that reach the threshold to the set, of which only ever the k best stay
/// where they are more than kOrdered. Returns the threshold, which may have risen. Must be called
/// by all threads of the block.
template <unsigned kItems, class Set>
__device__ __forceinline__ KeyIndex add(const Set& set, const Items<kItems>& mine,
                                        KeyIndex threshold, Collector& collector) {
    static_assert(Set::kLimit == kOrdered);
    const KeyIndex best = mine.best();
    const auto have = [&] { return static_cast<unsigned>(__syncthreads_count(best >= threshold)); };
    unsigned threads = have();
    if (threads == 0) return threshold;
    if (threads > kOrdered) {
        const KeyIndex of_groups =
            threshold_of_groups(radix_key_of(best), set.k, collector.bests, collector.threshold);
        threshold = max(threshold, of_groups << 32);
        threads = have();
        // Many are equal, or those of neighbours are the best.
        if (threads > kOrdered) threshold = max(threshold, kth_of_threads(best, set.k, set.state));
    }
    unsigned bits = mine.at_or_above(threshold);
    mine.insert(set, bits);
    __syncthreads();  // all are in, if there is room
    if (set.state->candidates <= Set::kLimit) return threshold;
    return max(threshold, insert_rest(set, mine, bits));
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
/// not so many have a key. Returns how many. The set is empty. Must be called by all threads of the
/// block.
template <unsigned kAtOnce, class Set>
__device__ __forceinline__ unsigned best_segments(const Set& set, SegmentSummary* summaries,
                                                  unsigned count, Collector& collector) {
    KeyIndex threshold = kNoKeys + 1;
#pragma unroll 1
    for (unsigned first = 0; first < count; first += kAtOnce * kThreads) {
        Items<kAtOnce> mine;
        take(summaries, first, count, mine);
        threshold = add(set, mine, threshold, collector);
    }
    const unsigned found = set.state->candidates;
    in_order(set.slots, found, [&](unsigned position, SegmentSummary summary) {
        if (position < set.k) collector.segments[position] = summary;
    });
    __syncthreads();  // the segments are in order
    return min(found, set.k);
}

}  // namespace topk
