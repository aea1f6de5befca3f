// best: the way that suits the question; and all fastest versions, for main.cu.
//
// In the order in which a launch flows through them:
//   one_read          distinct.cuh, candidate_set.cuh, tile.cuh, stream.cuh, one_read.cuh
//   sample_threshold  sample_threshold.cuh, then as one_read
//   radix_select      radix_select.cuh
//   best, small k     segment_summaries.cuh, segment_rescan.cuh; best_segments.cuh
// They use the keys, parameters and helpers that main.cu defines before it includes this file.
#pragma once

#include "best_segments.cuh"
#include "radix_select.cuh"

namespace topk {

/// The fewer keys there are for each of the k, the lower is sample_threshold's threshold, and the
/// more candidates there are; radix_select has none. (A small GPU may have room for fewer blocks
/// than there are tiles. That case is not checked: of that many keys radix_select's several reads
/// are worse.)
inline bool is_worth_a_threshold(unsigned k, unsigned n, bool distinct) {
    return distinct || k <= kMaxSmallK || (n / k >= 64 && n >= 2 * kTile);
}

template <class Key>
void best(const TopKParams<Key>& params) {
    if (params.k > kMaxK) return radix_select(params);
    tutorial::require_aligned(params.keys, "best");
    if (!params.distinct && params.k <= kMaxSegmentK) return launch_segments(params);
    if (is_worth_a_threshold(params.k, params.n, params.distinct)) return sample_threshold(params);
    radix_select(params);
}

/// What these stages need of Scratch.
inline ScratchSizes fastest_scratch_sizes(unsigned k, std::size_t n) {
    const std::size_t appended = kBlocksPerSm * (2 * std::size_t{k} + 16);  // see append_to_list
    const SegmentShape shape = cut_into_segments(n);
    return {appended * sm_count(), shape.blocks * (kWarps / shape.warps_per_segment)};
}

}  // namespace topk
