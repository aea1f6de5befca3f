// best, small k: the kernel of both halves and its launcher.
//
// From the ladder: 16-byte reads, as many in flight as chapter 3's tiles have. Adds: no threshold,
// no list and no ticket: all blocks publish their segments' summaries (segment_summaries.cuh), and
// block 0 does the rest (segment_rescan.cuh).
#pragma once

#include "segment_rescan.cuh"

namespace topk {

// best: each warp reads its segment, or a quarter of one. Of each segment the best is published;
// block 0 reads the k best segments again. Only for small k; for others, see best().
// Removes: the sample, the grid-wide barrier, the cooperative launch; the list of all blocks.
// Remains: the time that the memory takes to deliver the bytes; for block 0 two trips to it, when
// the others are done.
// Block 0 waits for blocks that may not have started. No other block waits, so they all finish in
// whatever room block 0 leaves: that works on every GPU we know, but CUDA does not promise it.
template <class Key, unsigned kReads, unsigned kWarpsPerSegment>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    best_segments_kernel(TopKParams<Key> params) {
    using Set = CandidateSet<false, kSlotsForSmallK>;
    constexpr unsigned kKeys = kWarpsPerSegment * kReads * kSegmentRow;  // of a segment
    constexpr unsigned kSegments = kWarps / kWarpsPerSegment;            // of a block
    __shared__ Bests parts[kWarps];
    __shared__ KeyIndex slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ Collector collector;
    const unsigned warp = threadIdx.x / 32;
    const unsigned base = (blockIdx.x * kWarps + warp) * kReads * kSegmentRow;
    if constexpr (kWarpsPerSegment == 1) {
        const unsigned segment = blockIdx.x * kSegments + warp;
        SegmentSummary* const slot = &params.scratch.summaries[segment];
        const unsigned mine = best_radix_key_of_lane<kReads>(params, base, [&] {
            // The line of this segment's summary may be in no cache: it comes while the keys come.
            if (kReads < kMaxReads && threadIdx.x % 32 == 0) prefetch(slot);
        });
        const SegmentSummary summary =
            summary_of_segment(params, segment, kKeys, bests_of_warp<1>(mine));
        if (threadIdx.x % 32 == 0) store_relaxed(slot, summary);
    } else {
        const unsigned mine = best_radix_key_of_lane<kReads>(params, base, [] {});
        const Bests bests = bests_of_warp<kWarpsPerSegment>(mine);
        if (threadIdx.x % 32 == 0) parts[warp] = bests;
        __syncthreads();  // all warps' bests are known
        if (threadIdx.x < kSegments) {
            const unsigned first = threadIdx.x * kWarpsPerSegment;
            Bests all = parts[first];
#pragma unroll
            for (unsigned i = 1; i < kWarpsPerSegment; ++i) all = all.with(parts[first + i]);
            const unsigned segment = blockIdx.x * kSegments + threadIdx.x;
            store_relaxed(&params.scratch.summaries[segment],
                          summary_of_segment(params, segment, kKeys, all));
        }
    }
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) {
        state.threshold = kNoKeys + 1;
        state.candidates = 0;
        collector.full_rescan_segments = 0;
    }
    __syncthreads();  // the set is empty
    collect_segments<kReads, kWarpsPerSegment>(params, Set{slots, &state, params.k}, collector);
}

/// How n keys are cut into segments: as chapter 3 cuts its tiles.
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
void launch_segments(const TopKParams<Key>& params) {
    const SegmentShape shape = cut_into_segments(params.n);
    auto* kernel = best_segments_kernel<Key, kMaxReads, kMaxWarpsPerSegment>;
    if (shape.warps_per_segment == 1) {
        kernel = best_segments_kernel<Key, kMaxReads, 1>;
        if (shape.reads == 1) kernel = best_segments_kernel<Key, 1, 1>;
        if (shape.reads == 2) kernel = best_segments_kernel<Key, 2, 1>;
        if (shape.reads == 4) kernel = best_segments_kernel<Key, 4, 1>;
    }
    kernel<<<shape.blocks, kThreads>>>(params);
    CUDA_CHECK_LAUNCH();
}

}  // namespace topk
