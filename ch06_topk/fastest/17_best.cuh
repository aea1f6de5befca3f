// 17. best: the method that suits the question.
//
// All from the stages before, which main.cu gets by including this file.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../topk.hpp"
#include "09_candidate_set.cuh"
#include "12_sample_threshold.cuh"
#include "14_radix_select.cuh"
#include "15_segment_maxima.cuh"
#include "16_segment_lead.cuh"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

/// The fewer keys there are for each of the k, the lower sample_threshold's threshold is, and the
/// more candidates there are; radix_select has none. (A small GPU may have room for fewer blocks
/// than there are tiles. That case is not checked: with that many keys radix_select's several reads
/// are worse.)
inline bool is_worth_a_threshold(unsigned k, unsigned n, bool distinct) {
    return distinct || k <= kMaxSmallK || (n / k >= 64 && n >= 2 * kTile);
}

// best: segment_lead for small k, radix_select for large ones, sample_threshold between them.
// Removes: the choice, which the caller would have to make.
// Remains: the time that the memory takes to deliver the bytes, for most questions.
template <class Key>
void best(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "best");
    if (params.k > kMaxK) return radix_select(params);
    if (!params.distinct && params.k <= kMaxSegmentK) return segment_lead(params);
    if (is_worth_a_threshold(params.k, params.n, params.distinct)) return sample_threshold(params);
    radix_select(params);
}

/// What these stages need from Scratch.
inline ScratchSizes fastest_scratch_sizes(unsigned k, std::size_t n) {
    // For candidates, see append_to_list; segment_lead has the most segments.
    const std::size_t listed = std::size_t{kBlocksPerSm} * max_listed(k);
    const SegmentShape shape = cut_into_segments(n);
    const unsigned per_block = kWarps / std::min(shape.warps_per_segment, kMaxWarpsPerSegment);
    return {listed * sm_count(), std::size_t{shape.blocks} * per_block};
}

}  // namespace topk
