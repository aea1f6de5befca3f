// 16. segment_lead: of nearly every best segment, the keys of one thread are enough.
//
// From the stage before: everything else. New: a summary says which thread read the best key, and
// how far it is ahead of all other threads' keys (its lead). And for small n one warp reads a
// segment: it is published without a barrier, and read again with fewer rows.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "15_segment_maxima.cuh"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

// ---- All blocks: summaries with a lead ----------------------------------------------------------

/// The best and the second best of some threads' maxima.
struct Bests {
    unsigned best;    ///< the best radix key; 0 if there is none
    unsigned thread;  ///< the first of the segment's threads that read it
    unsigned second;  ///< the best radix key that another thread has read

    /// Of these maxima and those of later threads.
    __device__ __forceinline__ Bests with(const Bests& later) const {
        return {max(best, later.best), later.best > best ? later.thread : thread,
                max(min(best, later.best), max(second, later.second))};
    }
};

/// Of a warp, given this lane's best, `mine`. All lanes of the warp must call it.
template <unsigned kWarpsPerSegment>
__device__ __forceinline__ Bests bests_of_warp(unsigned mine) {
    const unsigned best = warp_max(mine);
    const unsigned lane = __ffs(static_cast<int>(__ballot_sync(kFullMask, mine == best))) - 1;
    const unsigned second = warp_max(threadIdx.x % kWarpSize == lane ? 0 : mine);
    return {best, threadIdx.x / kWarpSize % kWarpsPerSegment * kWarpSize + lane, second};
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

/// Publishes the summaries of this block's segments. `of_warps`: shared. All threads of the block
/// must call it.
template <unsigned kReads, unsigned kWarpsPerSegment, class Key>
__device__ __forceinline__ void publish_summaries(const TopKParams<Key>& params, Bests* of_warps) {
    constexpr unsigned kKeys = kWarpsPerSegment * kReads * kSegmentRow;  // of a segment
    constexpr unsigned kSegments = kWarps / kWarpsPerSegment;            // of a block
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned base = (blockIdx.x * kWarps + warp) * kReads * kSegmentRow;
    if constexpr (kWarpsPerSegment == 1) {
        const unsigned segment = blockIdx.x * kSegments + warp;
        SegmentSummary* const slot = &params.scratch.summaries[segment];
        const unsigned mine = best_radix_key_of_lane<kReads>(params, base, [&] {
            // This segment's summary may be in no cache: its line is fetched while the keys are.
            if (kReads < kMaxReads && threadIdx.x % kWarpSize == 0) prefetch(slot);
        });
        const SegmentSummary summary =
            summary_of_segment(params, segment, kKeys, bests_of_warp<1>(mine));
        if (threadIdx.x % kWarpSize == 0) store_relaxed(slot, summary);
    } else {
        const unsigned mine = best_radix_key_of_lane<kReads>(params, base, [] {});
        const Bests bests = bests_of_warp<kWarpsPerSegment>(mine);
        if (threadIdx.x % kWarpSize == 0) of_warps[warp] = bests;
        __syncthreads();  // all warps' maxima are known
        if (threadIdx.x >= kSegments) return;
        const unsigned first = threadIdx.x * kWarpsPerSegment;
        Bests all = of_warps[first];
#pragma unroll
        for (unsigned i = 1; i < kWarpsPerSegment; ++i) all = all.with(of_warps[first + i]);
        const unsigned segment = blockIdx.x * kSegments + threadIdx.x;
        store_relaxed(&params.scratch.summaries[segment],
                      summary_of_segment(params, segment, kKeys, all));
    }
}

// ---- Block 0: one trip for the keys of the best segments ------------------------------------

/// Has one thread read all keys of this segment that reach the threshold?
__device__ __forceinline__ bool is_one_enough(SegmentSummary summary, KeyIndex threshold) {
    const unsigned lead = lead_of(summary);
    return lead > 0 && radix_key_of(summary) - (1u << lead) < radix_key_of(threshold);
}

/// The position of the n-th set bit of `bits`, counted from 0.
__device__ inline unsigned nth_bit(unsigned bits, unsigned n) {
    for (; n > 0; --n) bits &= bits - 1;
    return __ffs(static_cast<int>(bits)) - 1;
}

/// For a thread of the first warps: the index of one vector of the thread that read a segment's
/// best key; n if the segment must be read whole. kReads threads share a segment.
template <unsigned kReads, class Key, unsigned kRows>
__device__ __forceinline__ unsigned index_at_best(const SegmentReader<Key, kRows>& reader,
                                                  unsigned segments, KeyIndex threshold) {
    const unsigned segment = threadIdx.x / kReads;
    if (segment >= segments || !is_one_enough(reader.segments[segment], threshold)) return reader.n;
    const unsigned thread = thread_of(reader.segments[segment]);
    const unsigned row = thread / kWarpSize * kReads + threadIdx.x % kReads;
    return reader.index(segment, row, thread % kWarpSize);
}

/// For warp number `warp` of the `warps` others: the index of this lane's vector in one row of the
/// segments that must be read whole; n if there is none. If there are more rows than warps, the
/// segments go to the collector's list instead. All lanes of the warp must call it.
template <class Key, unsigned kRows>
__device__ __forceinline__ unsigned index_of_full_rescan(const SegmentReader<Key, kRows>& reader,
                                                         unsigned segments, KeyIndex threshold,
                                                         unsigned warp, unsigned warps,
                                                         Collector& collector) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const bool is_mine = lane < segments && !is_one_enough(reader.segments[lane], threshold);
    const unsigned which = __ballot_sync(kFullMask, is_mine);  // one bit per segment
    const unsigned rows = __popc(which) * kRows;
    if (rows <= warps) {
        if (warp >= rows) return reader.n;
        return reader.index(nth_bit(which, warp / kRows), warp % kRows, lane);
    }
    if (warp == 0) {
        if (is_mine) collector.full_rescan[__popc(which & ((1u << lane) - 1))] = lane;
        if (lane == 0) collector.full_rescan_segments = __popc(which);
    }
    return reader.n;
}

/// Adds to the set those keys of the k best segments that may be among the k best. The set and the
/// list collector.full_rescan are empty before. All threads of the block must call it.
template <unsigned kReads, class Key, unsigned kRows, class Set>
__device__ __forceinline__ void add_keys_of_segments(const SegmentReader<Key, kRows>& reader,
                                                     const Set& set, unsigned segments,
                                                     Collector& collector) {
    if constexpr (kRows == 1) {
        // With so few keys two of the best are often in one segment: read all its keys.
        Items<4 * kRowsOfWarp> mine = reader.rows(0, segments, [](unsigned i) { return i; });
        add(set, mine, collector);
        return;
    }
    static_assert(kRows == 1 || kMaxSegmentK * kReads <= kThreads / 2);
    const KeyIndex threshold = set.state->threshold;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned in_front = (segments * kReads + kWarpSize - 1) / kWarpSize;
    unsigned index[1];
    if (warp < in_front) {
        index[0] = index_at_best<kReads>(reader, segments, threshold);
    } else {
        index[0] = index_of_full_rescan(reader, segments, threshold, warp - in_front,
                                        kWarps - in_front, collector);
    }
    Items<4> mine = reader.items(index);
    add(set, mine, collector);
    if (collector.full_rescan_segments != 0) add_full_rescans(reader, set, &collector);
}

// segment_lead: as segment_maxima, but a summary says which thread read the best key, and its lead;
// for nearly every segment the keys of that thread are enough.
// Removes: nearly all that block 0 reads again; for small n, the barrier before the summaries.
// Remains: the time that the memory takes to deliver the bytes; for block 0 two trips to it after
// the others are done. Only for small k.
template <class Key, unsigned kReads, unsigned kWarpsPerSegment>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    segment_lead_kernel(TopKParams<Key> params) {
    using Set = CandidateSet<false, kSlotsForSmallK>;
    constexpr unsigned kRows = kReads * kWarpsPerSegment;
    __shared__ Bests of_warps[kWarps];
    __shared__ KeyIndex slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ Collector collector;
    publish_summaries<kReads, kWarpsPerSegment>(params, of_warps);
    if (blockIdx.x != 0) return;
    const Set set{slots, &state, params.k};
    start_collecting(set, collector);
    const unsigned segments = best_segments<kSummariesAtOnce<kReads>>(
        set, params.scratch.summaries, gridDim.x * (kWarps / kWarpsPerSegment), collector);
    if (threadIdx.x == 0) state.candidates = 0;
    const SegmentReader<Key, kRows> reader = {params.keys, params.n, params.order_mask,
                                              collector.segments};
    add_keys_of_segments<kReads>(reader, set, segments, collector);
    write_answer(params, set);
}

/// How n keys are cut into segments, as chapter 3 cuts its tiles.
struct SegmentShape {
    unsigned reads;              ///< vectors per thread
    unsigned blocks;             ///< each has kWarps / warps_per_segment segments
    unsigned warps_per_segment;  ///< the fewer segments, the fewer summaries for block 0
};

inline SegmentShape cut_into_segments(std::size_t n) {
    constexpr unsigned kMaxBlocksOfWarpSegments = 128;  // with more, block 0 would be the last
    const std::size_t vectors = divide_up<std::size_t>(std::max<std::size_t>(n, 1), 4);
    const unsigned reads = reads_per_thread(vectors, kThreads);
    const auto blocks = static_cast<unsigned>(divide_up<std::size_t>(vectors, kThreads * reads));
    return {reads, blocks, blocks > kMaxBlocksOfWarpSegments ? kMaxWarpsPerSegment : 1};
}

template <class Key>
void segment_lead(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "segment_lead");
    const SegmentShape shape = cut_into_segments(params.n);
    auto* kernel = segment_lead_kernel<Key, kMaxReads, kMaxWarpsPerSegment>;
    if (shape.warps_per_segment == 1) {
        kernel = segment_lead_kernel<Key, kMaxReads, 1>;
        if (shape.reads == 1) kernel = segment_lead_kernel<Key, 1, 1>;
        if (shape.reads == 2) kernel = segment_lead_kernel<Key, 2, 1>;
        if (shape.reads == 4) kernel = segment_lead_kernel<Key, 4, 1>;
    }
    kernel<<<shape.blocks, kThreads>>>(params);
    CUDA_CHECK_LAUNCH();
}

}  // namespace topk
