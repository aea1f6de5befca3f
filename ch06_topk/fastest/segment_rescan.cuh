// best, small k, second half: block 0 reads the k best segments again, and puts their best keys in
// order.
//
// From the ladder: the threshold, which is the k-th segment's best. Adds: a summary says which
// thread read the best key, and how far ahead of all others it is (its lead), so that of nearly
// every segment one thread's keys are enough.
#pragma once

#include "segment_summaries.cuh"

namespace topk {

/// The best segments, in rows.
template <class Key, unsigned kReads, unsigned kWarpsPerSegment>
struct SegmentRescan {
    static constexpr unsigned kRows = kReads * kWarpsPerSegment;  ///< of a segment
    using Vector = typename VectorOf<Key>::Type;
    const Key* keys;      ///< of the parameters, which must not be copied: see keys_of_segments
    unsigned n;           ///< of the parameters
    unsigned order_mask;  ///< of the parameters
    const SegmentSummary* segments;  ///< shared; `count` of them
    unsigned count;
    KeyIndex threshold;  ///< what is worse is of no interest

    /// The index of the first key of a lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned segment, unsigned row, unsigned lane) const {
        return (segment_of(segments[segment]) * kRows + row) * kSegmentRow + lane * 4;
    }

    /// The same for vector number i of those that the thread read that read the best key.
    __device__ __forceinline__ unsigned index_at_best(unsigned segment, unsigned i) const {
        const unsigned thread = thread_of(segments[segment]);
        return index(segment, thread / 32 * kReads + i, thread % 32);
    }

    /// Is no key of interest in this segment but among those that one thread read?
    __device__ __forceinline__ bool is_one_enough(unsigned segment) const {
        const unsigned lead = lead_of(segments[segment]);
        return lead > 0 && radix_key_of(segments[segment]) - (1u << lead) < radix_key_of(threshold);
    }

    /// The four keys at `index`; 0 behind the last one.
    __device__ __forceinline__ Vector load(unsigned index) const {
        if (index < n && n - index >= 4) return *reinterpret_cast<const Vector*>(keys + index);
        Vector part = {};
        if (index < n) part.x = keys[index];
        if (index < n && n - index > 1) part.y = keys[index + 1];
        if (index < n && n - index > 2) part.z = keys[index + 2];
        return part;
    }

    /// The keys that were loaded from `index`, or 0 where a key is not of interest.
    __device__ __forceinline__ void items(const Vector& loaded, unsigned index,
                                          KeyIndex (&items)[4]) const {
        const Key four[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            const KeyIndex item = key_index_of(four[j], index + j, order_mask);
            const bool there = index < n && j < n - index;
            items[j] = there && item >= threshold ? item : 0;
        }
    }

    /// Can a key of this segment be of interest? If not, nor can one of the segments behind it.
    __device__ __forceinline__ bool is_of_interest(unsigned segment) const {
        const unsigned first = segment_of(segments[segment]) * kRows * kSegmentRow;
        return make_key_index(radix_key_of(segments[segment]), first) >= threshold;
    }
};

/// A warp's share of some rows: kAtOnce, which it asks for before it uses the first.
template <class Rescan>
struct RescanRows {
    /// As registers allow; of segments of one row no more than the k best segments have.
    static constexpr unsigned kAtOnce = Rescan::kRows == 1 || Rescan::kRows > kMaxReads ? 2 : 4;
    static constexpr unsigned kBatch = kAtOnce * kWarps;  ///< of all warps
    unsigned index[kAtOnce];
    typename Rescan::Vector loaded[kAtOnce];

    /// Those of the batch that begins with row `first` of `rows` in segments number(0),
    /// number(1)...
    template <class Number>
    __device__ __forceinline__ void load(const Rescan& rescan, unsigned first, unsigned rows,
                                         const Number& number) {
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const unsigned row = first + threadIdx.x / 32 + i * kWarps;
            index[i] = row < rows ? rescan.index(number(row / Rescan::kRows), row % Rescan::kRows,
                                                 threadIdx.x % 32)
                                  : rescan.n;
            loaded[i] = rescan.load(index[i]);
        }
    }
};

/// Puts the items that are not 0 into the slots. False if there are more than kOrdered: then not
/// all of them are there.
template <class Set>
__device__ __forceinline__ bool push(const Set& set, Collector& collector,
                                     const KeyIndex (&items)[4]) {
    static_assert(kOrdered + kMaxSegmentK * kMaxReads + kThreads <=
                  Set::kSlots);  // see collect_segments
    bool room = true;
#pragma unroll
    for (const KeyIndex item : items) {
        if (item == 0 || !room) continue;
        const unsigned position = atomicAdd(&collector.items, 1u);
        set.slots[position] = item;
        room = position < kOrdered;
    }
    return room;
}

/// Pushes the keys of interest of the segments to be read in full, or so many that there are too
/// many. Must be called by all threads of the block; a barrier must follow.
template <class Rescan, class Set>
__device__ __forceinline__ void push_full_rescans(const Rescan& rescan, const Set& set,
                                                  Collector& collector) {
    const unsigned rows = collector.full_rescan_segments * Rescan::kRows;
    bool room = true;
#pragma unroll 1
    for (unsigned first = 0; first < rows && room; first += RescanRows<Rescan>::kBatch) {
        RescanRows<Rescan> mine;
        mine.load(rescan, first, rows, [&](unsigned i) { return collector.full_rescan[i]; });
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            KeyIndex items[4];
            rescan.items(mine.loaded[i], mine.index[i], items);
            room = room && push(set, collector, items);
        }
    }
}

/// The k-th best of the threads' `best`; 0 if not so many groups of threads have one. The set is
/// empty then. Must be called by all threads of the block.
template <class Set>
__device__ __forceinline__ KeyIndex kth_of_threads(KeyIndex best, const Set& set,
                                                   Collector& collector) {
    constexpr unsigned kMax = kMaxSegmentK * kThreads / kPolledGroups;  // all threads of k groups
    if (threadIdx.x == 0) set.state->candidates = 0;
    const KeyIndex threshold = counted_threshold(best, set.k, collector);
    if (threshold == 0) return 0;
    if (best >= threshold) set.slots[atomicAdd(&set.state->candidates, 1u)] = best;
    __syncthreads();  // the bests that reach the threshold are in
    in_order<kMax>(set.slots, set.state->candidates, [&](unsigned position, KeyIndex item) {
        if (position == set.k - 1) set.state->threshold = item;
    });
    __syncthreads();  // the k-th is known
    if (threadIdx.x == 0) set.state->candidates = 0;
    return set.state->threshold;
}

/// Many keys of the segments are equal, or stand side by side: the best that each thread sees in
/// the first rows of the best segments tell what is of interest. Returns that, and what segments
/// have it are to be read in full. Must be called by all threads of the block; a barrier must
/// follow.
template <class Rescan, class Set>
__device__ __forceinline__ KeyIndex raise_rescan_threshold(const Rescan& rescan, const Set& set,
                                                           Collector& collector) {
    constexpr int kEnough = kThreads / 8;  // threads with a key of interest: in more than k groups
    const unsigned rows = rescan.count * Rescan::kRows;
    KeyIndex best = 0;
    bool are_enough = false;
#pragma unroll 1
    for (unsigned first = 0; first < rows && !are_enough; first += RescanRows<Rescan>::kBatch) {
        RescanRows<Rescan> mine;
        mine.load(rescan, first, rows, [](unsigned i) { return i; });
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            KeyIndex items[4];
            rescan.items(mine.loaded[i], mine.index[i], items);
#pragma unroll
            for (const KeyIndex item : items) best = max(best, item);
        }
        are_enough = __syncthreads_count(best != 0) >= kEnough;
    }
    Rescan above = rescan;
    above.threshold = max(rescan.threshold, kth_of_threads(best, set, collector));
    const bool is_full_rescan = threadIdx.x < rescan.count && above.is_of_interest(threadIdx.x);
    if (is_full_rescan) collector.full_rescan[threadIdx.x] = threadIdx.x;
    const auto full_rescan_segments = static_cast<unsigned>(__syncthreads_count(is_full_rescan));
    if (threadIdx.x == 0) {
        collector.full_rescan_segments = full_rescan_segments;
        collector.items = 0;
    }
    return above.threshold;
}

/// As a last resort: the segments to be read in full, a batch of rows after the other, of whose
/// keys only ever the k best stay. Then the set has no more than kLimit. Must be called by all
/// threads of the block.
template <class Rescan, class Set>
__device__ __forceinline__ void insert_full_rescans(const Rescan& rescan, const Set& set,
                                                    const Collector& collector) {
    const unsigned rows = collector.full_rescan_segments * Rescan::kRows;
    if (threadIdx.x == 0) {
        set.state->threshold = rescan.threshold;
        set.state->candidates = 0;
    }
    __syncthreads();  // all threads know the threshold, and the set is empty
    for (unsigned first = 0; first < rows; first += RescanRows<Rescan>::kBatch) {
        RescanRows<Rescan> mine;
        mine.load(rescan, first, rows, [&](unsigned i) { return collector.full_rescan[i]; });
#pragma unroll 1
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            KeyIndex items[4];
            unsigned index = mine.index[0];
            auto loaded = mine.loaded[0];
#pragma unroll
            for (unsigned j = 1; j < mine.kAtOnce; ++j) {
                index = j == i ? mine.index[j] : index;
                loaded = j == i ? mine.loaded[j] : loaded;
            }
            rescan.items(loaded, index, items);
            unsigned pending = 0;
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) pending |= static_cast<unsigned>(items[j] != 0) << j;
            if (!__syncthreads_or(pending != 0)) continue;
            insert_pending(set, pending, [&](int j) {
                return j == 0 ? items[0] : j == 1 ? items[1] : j == 2 ? items[2] : items[3];
            });
        }
    }
}

/// The keys of interest of segments of which one thread's are not enough, to those that are in.
/// Returns how many there are then. Must be called by all threads of the block.
template <class Rescan, class Set>
__device__ __noinline__ unsigned with_full_rescans(Rescan rescan, Set set, Collector* collector) {
    constexpr unsigned kFewRows = 2 * RescanRows<Rescan>::kBatch;
    constexpr unsigned kFewSegments = 8;  // of more, too many keys are as good as equal
#pragma unroll 1
    for (bool is_raised = false; true; is_raised = true) {
        const bool are_few = collector->full_rescan_segments * Rescan::kRows <= kFewRows &&
                             (is_raised || collector->full_rescan_segments <= kFewSegments);
        if (are_few) push_full_rescans(rescan, set, *collector);
        __syncthreads();  // all candidates are in, if they are few
        const unsigned count = collector->items;
        if (are_few && count <= kOrdered) return count;
        if (is_raised) break;
        rescan.threshold = raise_rescan_threshold(rescan, set, *collector);
        __syncthreads();  // the segments of interest are known
    }
    insert_full_rescans(rescan, set, *collector);
    return set.state->candidates;
}

/// Which bit of `bits` is the n-th that is set, from 0 on.
__device__ inline unsigned nth_bit(unsigned bits, unsigned n) {
    for (; n > 0; --n) bits &= bits - 1;
    return __ffs(static_cast<int>(bits)) - 1;
}

/// The keys of the k best segments that may be of the k best keys to the set; only the k best, if
/// they are more than kOrdered. Returns how many. The set is empty, its threshold 0, and so are
/// collector.items and .full_rescan_segments. Must be called by all threads of the block.
template <unsigned kReads, unsigned kWarpsPerSegment, class Key, class Set>
__device__ __forceinline__ unsigned keys_of_segments(const TopKParams<Key>& params, const Set& set,
                                                     unsigned segments, Collector& collector) {
    // At least k keys have the radix key of the k-th summary, or a better one.
    const unsigned threshold =
        max(segments == params.k ? radix_key_of(collector.segments[segments - 1]) : 0,
            KeyOrder<Key>::kMinRadixKey);
    // By value: a function that is not inlined would need the address of the parameters, and every
    // thread of the grid would begin with a copy of the parameters in its local memory.
    using Rescan = SegmentRescan<Key, kReads, kWarpsPerSegment>;
    const Rescan rescan = {params.keys,        params.n, params.order_mask,
                           collector.segments, segments, KeyIndex{threshold} << 32};

    if constexpr (Rescan::kRows == 1) {
        // So few segments that two of the best keys are often in one: all keys of the best
        // segments.
        static_assert(kMaxSegmentK <= RescanRows<Rescan>::kBatch);
        RescanRows<Rescan> mine;
        mine.load(rescan, 0, segments, [](unsigned i) { return i; });
        bool room = true;
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            KeyIndex items[4];
            rescan.items(mine.loaded[i], mine.index[i], items);
            room = room && push(set, collector, items);
        }
    } else {
        // Of nearly every segment the keys of one thread are enough: for those a thread reads one
        // vector. The warps behind look which segments are not so, and read a row of them each
        // meanwhile.
        static_assert(kMaxSegmentK <= 32 && kMaxSegmentK * kReads <= kThreads / 2);
        const unsigned warps_in_front = (segments * kReads + 31) / 32;
        const unsigned warp = threadIdx.x / 32;
        unsigned index = params.n;
        if (warp < warps_in_front) {
            const unsigned segment = threadIdx.x / kReads;
            if (segment < segments && rescan.is_one_enough(segment)) {
                index = rescan.index_at_best(segment, threadIdx.x % kReads);
            }
        } else {
            const unsigned lane = threadIdx.x % 32;
            const bool is_full_rescan = lane < segments && !rescan.is_one_enough(lane);
            const unsigned full_rescan_segments =
                __ballot_sync(kFullMask, is_full_rescan);  // one bit per segment
            const unsigned rows = __popc(full_rescan_segments) * Rescan::kRows;
            const unsigned row = warp - warps_in_front;
            if (rows <= kWarps - warps_in_front) {
                const unsigned segment = nth_bit(full_rescan_segments, row / Rescan::kRows);
                if (row < rows) index = rescan.index(segment, row % Rescan::kRows, lane);
            } else if (row == 0) {  // too many: later, all warps together
                if (is_full_rescan)
                    collector.full_rescan[__popc(full_rescan_segments & ((1u << lane) - 1))] = lane;
                if (lane == 0) collector.full_rescan_segments = __popc(full_rescan_segments);
            }
        }
        KeyIndex items[4];
        rescan.items(rescan.load(index), index, items);
        push(set, collector, items);
    }
    __syncthreads();  // their candidates are in, and what other segments are left is known
    if (collector.full_rescan_segments == 0 && collector.items <= kOrdered) return collector.items;
    return with_full_rescans(rescan, set, &collector);
}

/// In the block that collects: the k best keys of all segments, in order, to the result. The set is
/// empty, and its threshold 0; so are collector.items and .full_rescan_segments, and
/// collector.sync_requested is 0. Must be called by all threads of the block.
template <unsigned kReads, unsigned kWarpsPerSegment, class Key, class Set>
__device__ __forceinline__ void collect_segments(const TopKParams<Key>& params, const Set& set,
                                                 Collector& collector) {
    // A batch is all the summaries there can be of segments of one warp: see cut_into_segments().
    constexpr bool kMayBeMore = kWarpsPerSegment == kMaxWarpsPerSegment;
    using Mine = SummaryBatch<(kReads < 4 ? 1 : kReads)>;
    const unsigned count = gridDim.x * (kWarps / kWarpsPerSegment);
    Mine mine;
    mine.take(params.scratch.summaries, 0, count);
    const unsigned segments =
        best_segments<kMayBeMore>(set, mine, params.scratch.summaries, count, collector);
    const unsigned keys =
        keys_of_segments<kReads, kWarpsPerSegment>(params, set, segments, collector);
    in_order<kOrdered>(set.slots, keys, [&](unsigned position, KeyIndex candidate) {
        if (position < params.k) params.result.write(position, candidate, params.order_mask);
    });
    if (threadIdx.x == 0) *params.result.count = min(keys, params.k);
}

}  // namespace topk
