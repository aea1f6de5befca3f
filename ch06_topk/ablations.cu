// Chapter 6, beside it: what was tried for `best` and did not win.
//
// Every row differs in one thing from `best`, or from the stage that `best` chooses there. Checked
// and timed by the chapter's own experiment.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch06_topk_ablations
#include <cuda_runtime.h>

#include <algorithm>

#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

// ---- Small k: other segments --------------------------------------------------------------------

/// A launch of the segments' kernel with so many vectors per thread.
template <class Key, unsigned kReads, unsigned kWarpsPerSegment>
void launch_segments_of(const TopKParams<Key>& params) {
    const auto blocks = static_cast<unsigned>(divide_up(params.n, kThreads * 4 * kReads));
    best_segments_kernel<Key, kReads, kWarpsPerSegment><<<blocks, kThreads>>>(params);
    CUDA_CHECK_LAUNCH();
}

// short_segments: four vectors per thread where `best` has eight, and four warps a segment.
// Removes: half of the time until a block has read its segments.
// Remains: twice as many blocks to start, and twice as many summaries for block 0.
template <class Key>
void short_segments(const TopKParams<Key>& params) {
    launch_segments_of<Key, kMaxReads / 2, kMaxWarpsPerSegment>(params);
}

// long_segments: as many reads in flight as with many keys, however few there are.
// Removes: blocks to start, and summaries for block 0.
// Remains: few blocks, so most multiprocessors read nothing.
template <class Key>
void long_segments(const TopKParams<Key>& params) {
    launch_segments_of<Key, kMaxReads, 1>(params);
}

/// With more of such segments block 0 would be the last.
constexpr std::size_t kMaxLongSegments = std::size_t{1} << 22;

// block_segments: four warps share a segment, however few keys there are.
// Removes: three of four summaries.
// Remains: a barrier of the block before its summaries; a segment read again is four times as
// large.
template <class Key>
void block_segments(const TopKParams<Key>& params) {
    launch_segments_of<Key, kMaxReads, kMaxWarpsPerSegment>(params);
}

// ---- Large k, or every value once: other groups ----------------------------------------------

// warp_groups: a warp is a group, however few there are.
// Removes: up to five shuffles, and the bests of more groups to choose from.
// Remains: with hardly more groups than k the threshold is low, with fewer there is none.
template <class Key>
void warp_groups(const TopKParams<Key>& params) {
    sample_threshold_of(params, [](unsigned, unsigned) { return kWarps; });
}

// fine_groups: at least four times as many groups as `sample_threshold` makes of a block.
// Removes: candidates: the threshold is the closer to the k-th, the more groups there are.
// Remains: each block chooses from the bests of all groups.
template <class Key>
void fine_groups(const TopKParams<Key>& params) {
    sample_threshold_of(params, [](unsigned k, unsigned blocks) {
        return std::min(4 * groups_per_block(k, blocks), kThreads * kVectors);
    });
}

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<TopK<Key>>>& ablations() {
    const auto limit = [](std::size_t max_n, const char* why) {
        return tutorial::Limits{max_n, why};
    };
    const auto stage = RowKind::stage;
    static const std::vector<Stage<TopK<Key>>> table = {
        {{"best", "the chapter's"}, {best<Key>, kMaxN, kMaxK}},
        {{"short_segments", "four reads in flight, however many keys"},
         {short_segments<Key>, kMaxSegmentK}},
        {{"long_segments", "all eight reads in flight, however few keys", stage,
          limit(kMaxLongSegments, "more summaries than block 0 reads in time")},
         {long_segments<Key>, kMaxSegmentK}},
        {{"block_segments", "four warps share a segment, however few keys"},
         {block_segments<Key>, kMaxSegmentK}},
        {{"sample_threshold", "a threshold from all groups' bests"},
         {sample_threshold<Key>, kMaxK, kMaxK}},
        {{"warp_groups", "the same, groups of whole warps"}, {warp_groups<Key>, kMaxK, kMaxK}},
        {{"fine_groups", "the same, four times as many groups"}, {fine_groups<Key>, kMaxK, kMaxK}},
        {{"radix_select", "the k-th digit by digit"}, {radix_select<Key>, kMaxN, 0}},
    };
    return table;
}

/// Room for the smallest segments.
ScratchSizes scratch_of_ablations(unsigned k, std::size_t n) {
    ScratchSizes sizes = scratch_sizes(k, n);
    sizes.summaries = n / kSegmentRow + 2 * kThreads;
    return sizes;
}

}  // namespace

int main(int argc, char** argv) {
    Question question;
    return Chapter("ch06_ablations", "The k largest of N keys, what did not win", "key")
        .sizes(std::size_t{1} << 20, std::size_t{1} << 17, kMaxN, std::size_t{1} << 22)
        .number("--k", "how many", question.k, 0, kMaxN)
        .flag("--distinct", "every value once; else duplicates count", question.distinct)
        .run(argc, argv, [&](const Options& options) -> std::unique_ptr<Experiment> {
            return std::make_unique<TopKExperiment<int>>(options, question, ablations<int>(),
                                                         scratch_of_ablations);
        });
}
