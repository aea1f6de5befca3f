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
    const SegmentSummary* segments;  ///< shared

    /// The index of the first key of a lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned segment, unsigned row, unsigned lane) const {
        return (segment_of(segments[segment]) * kRows + row) * kSegmentRow + lane * 4;
    }

    /// The same for vector number i of those that the thread read that read the best key.
    __device__ __forceinline__ unsigned index_at_best(unsigned segment, unsigned i) const {
        const unsigned thread = thread_of(segments[segment]);
        return index(segment, thread / 32 * kReads + i, thread % 32);
    }

    /// Does no key of this segment reach the threshold but some that one thread read?
    __device__ __forceinline__ bool is_one_enough(KeyIndex threshold, unsigned segment) const {
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

    /// The keys at each of some indices, all asked for before the first is used.
    template <unsigned kVectorsAtOnce>
    __device__ __forceinline__ Items<4 * kVectorsAtOnce> items(
        const unsigned (&at)[kVectorsAtOnce]) const {
        Vector loaded[kVectorsAtOnce];
#pragma unroll
        for (unsigned i = 0; i < kVectorsAtOnce; ++i) loaded[i] = load(at[i]);
        Items<4 * kVectorsAtOnce> items;
#pragma unroll
        for (unsigned i = 0; i < kVectorsAtOnce; ++i) {
            const Key four[4] = {loaded[i].x, loaded[i].y, loaded[i].z, loaded[i].w};
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const bool there = at[i] < n && j < n - at[i];
                items.item[4 * i + j] = there ? key_index_of(four[j], at[i] + j, order_mask) : 0;
            }
        }
        return items;
    }

    /// A warp's keys of kRowsAtOnce rows: from row `first` of `count` on, of the segments
    /// number(0), number(1)...
    template <class Number>
    __device__ __forceinline__ Items<8> rows(unsigned first, unsigned count,
                                             const Number& number) const {
        unsigned at[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            const unsigned row = first + threadIdx.x / 32 + i * kWarps;
            at[i] = row < count ? index(number(row / kRows), row % kRows, threadIdx.x % 32) : n;
        }
        return items(at);
    }

    /// Can a key of this segment reach the threshold? If not, nor can one of those behind it.
    __device__ __forceinline__ bool may_reach(KeyIndex threshold, unsigned segment) const {
        const unsigned first = segment_of(segments[segment]) * kRows * kSegmentRow;
        return make_key_index(radix_key_of(segments[segment]), first) >= threshold;
    }
};

constexpr unsigned kRowsAtOnce = 2 * kWarps;

/// Adds the keys of the segments of which one thread's are not enough, the best segments first,
/// until the threshold is above all that follow. Must be called by all threads of the block.
template <class Rescan, class Set>
__device__ __noinline__ void add_full_rescans(Rescan rescan, Set set, Collector* collector) {
    const auto number = [&](unsigned i) { return collector->full_rescan[i]; };
    const unsigned rows = collector->full_rescan_segments * Rescan::kRows;
    for (unsigned first = 0; first < rows; first += kRowsAtOnce) {
        if (!rescan.may_reach(set.state->threshold, number(first / Rescan::kRows))) return;
        Items<8> mine = rescan.rows(first, rows, number);
        add(set, mine, *collector);
    }
}

/// Which bit of `bits` is the n-th that is set, from 0 on.
__device__ inline unsigned nth_bit(unsigned bits, unsigned n) {
    for (; n > 0; --n) bits &= bits - 1;
    return __ffs(static_cast<int>(bits)) - 1;
}

/// The keys of the k best segments that may be among the k best keys to the set, which is empty, as
/// is the list collector.full_rescan. Must be called by all threads of the block.
template <unsigned kReads, unsigned kWarpsPerSegment, class Key, class Set>
__device__ __forceinline__ void keys_of_segments(const TopKParams<Key>& params, const Set& set,
                                                 unsigned segments, Collector& collector) {
    // By value: a function that is not inlined would need the address of the parameters, and every
    // thread of the grid would begin with a copy of the parameters in its local memory.
    using Rescan = SegmentRescan<Key, kReads, kWarpsPerSegment>;
    const Rescan rescan = {params.keys, params.n, params.order_mask, collector.segments};
    const KeyIndex threshold = set.state->threshold;
    if constexpr (Rescan::kRows == 1) {
        // So few segments that two of the best keys are often in one: all keys of the best
        // segments.
        static_assert(kMaxSegmentK <= kRowsAtOnce);
        Items<8> mine = rescan.rows(0, segments, [](unsigned i) { return i; });
        add(set, mine, collector);
    } else {
        // Of nearly every segment the keys of one thread are enough: for those a thread reads one
        // vector. The warps behind look which segments are not so, and read a row of them each
        // meanwhile.
        static_assert(kMaxSegmentK <= 32 && kMaxSegmentK * kReads <= kThreads / 2);
        const unsigned warps_in_front = (segments * kReads + 31) / 32;
        const unsigned warp = threadIdx.x / 32;
        unsigned index[1] = {params.n};
        if (warp < warps_in_front) {
            const unsigned segment = threadIdx.x / kReads;
            if (segment < segments && rescan.is_one_enough(threshold, segment)) {
                index[0] = rescan.index_at_best(segment, threadIdx.x % kReads);
            }
        } else {
            const unsigned lane = threadIdx.x % 32;
            const bool is_full_rescan = lane < segments && !rescan.is_one_enough(threshold, lane);
            const unsigned full_rescan_segments =
                __ballot_sync(kFullMask, is_full_rescan);  // one bit per segment
            const unsigned rows = __popc(full_rescan_segments) * Rescan::kRows;
            const unsigned row = warp - warps_in_front;
            if (rows <= kWarps - warps_in_front) {
                const unsigned segment = nth_bit(full_rescan_segments, row / Rescan::kRows);
                if (row < rows) index[0] = rescan.index(segment, row % Rescan::kRows, lane);
            } else if (row == 0) {  // too many: later, all warps together
                if (is_full_rescan)
                    collector.full_rescan[__popc(full_rescan_segments & ((1u << lane) - 1))] = lane;
                if (lane == 0) collector.full_rescan_segments = __popc(full_rescan_segments);
            }
        }
        Items<4> mine = rescan.items(index);
        add(set, mine, collector);
        if (collector.full_rescan_segments != 0) add_full_rescans(rescan, set, &collector);
    }
}

/// In the block that collects: the k best keys of all segments, in order, to the result. The set is
/// empty, and so is the list collector.full_rescan. Must be called by all threads of the block.
template <unsigned kReads, unsigned kWarpsPerSegment, class Key, class Set>
__device__ __forceinline__ void collect_segments(const TopKParams<Key>& params, const Set& set,
                                                 Collector& collector) {
    // Up to 2^22 keys, where all blocks finish at about the same time, that is all summaries.
    constexpr unsigned kAtOnce = kReads < 4 ? 1 : 4;
    const unsigned segments = best_segments<kAtOnce>(
        set, params.scratch.summaries, gridDim.x * (kWarps / kWarpsPerSegment), collector);
    if (threadIdx.x == 0) set.state->candidates = 0;
    keys_of_segments<kReads, kWarpsPerSegment>(params, set, segments, collector);
    const unsigned keys = set.state->candidates;
    in_order(set.slots, keys, [&](unsigned position, KeyIndex candidate) {
        if (position < params.k) params.result.write(position, candidate, params.order_mask);
    });
    if (threadIdx.x == 0) *params.result.count = min(keys, params.k);
}

}  // namespace topk
