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

// ---- Small k: other cells --------------------------------------------------------------------

/// A launch of the cells' kernel with so many vectors a thread.
template <class Key, unsigned kReads, unsigned kWarpsOfCell, bool kReadOnce>
void launch_cells_of(const Job<Key>& job) {
    const auto blocks = static_cast<unsigned>(divide_up(job.n, kThreads * 4 * kReads));
    best_cells_kernel<Key, kReads, kWarpsOfCell, kReadOnce><<<blocks, kThreads>>>(job);
    CUDA_CHECK_LAUNCH();
}

// short_cells: four vectors a thread where `best` has eight, and four warps a cell.
// Removes: half of the time until a block has read its cells.
// Remains: twice as many blocks to start, and twice as many words for block 0.
template <class Key>
void short_cells(const Job<Key>& job) {
    constexpr unsigned kReads = kMaxReads / 2;
    const bool beyond_cache = job.n * sizeof(Key) > device_info().l2_bytes;
    if (beyond_cache) return launch_cells_of<Key, kReads, kMaxWarpsOfCell, true>(job);
    launch_cells_of<Key, kReads, kMaxWarpsOfCell, false>(job);
}

// long_cells: as many reads in flight as with many keys, however few there are.
// Removes: blocks to start, and words for block 0.
// Remains: few blocks, so most multiprocessors read nothing.
template <class Key>
void long_cells(const Job<Key>& job) {
    launch_cells_of<Key, kMaxReads, 1, false>(job);
}

/// Block 0 asks for all words of such cells at once.
constexpr std::size_t kMaxLong = std::size_t{1} << 22;

// block_cells: four warps share a cell, however few keys there are.
// Removes: three of four words.
// Remains: a barrier of the block before its words; a cell read again is four times as large.
template <class Key>
void block_cells(const Job<Key>& job) {
    launch_cells_of<Key, kMaxReads, kMaxWarpsOfCell, false>(job);
}

// cached: keys are read as data that may be wanted again, also when they are too many for that.
// Removes: (nothing.)
// Remains: each line that comes pushes out another one.
template <class Key>
void cached(const Job<Key>& job) {
    block_cells(job);
}

// few_floor: the way of k from 33 to 128: a floor in each block, and the last block merges.
// Removes: the second reading of the best cells.
// Remains: fence, ticket and reading back, one after the other at the very end.
template <class Key>
void few_floor(const Job<Key>& job) {
    launch_few(job);
}

constexpr std::size_t kMaxFew = std::size_t{kFewTiles} * kTile;

// ---- Large k, or every value once: other groups ----------------------------------------------

// warp_groups: a warp is a group, however few there are.
// Removes: up to five shuffles, and the bests of more groups to choose from.
// Remains: with hardly more groups than k the floor is low, with fewer there is none.
template <class Key>
void warp_groups(const Job<Key>& job) {
    with_set(job, [&](auto distinct, auto each) {
        using Set = CandidateSet<decltype(distinct)::value, decltype(each)::value>;
        launch_sample_floor<Set>(job, [](unsigned blocks, unsigned) {
            return Groups{kThreads / Set::kGroups, blocks * Set::kGroups};
        });
    });
}

// fine_groups: at least four times as many groups as `sample_floor` makes of a block.
// Removes: candidates: the floor is the closer to the k-th, the more groups there are.
// Remains: each block chooses from the bests of all groups.
template <class Key>
void fine_groups(const Job<Key>& job) {
    with_set(job, [&](auto distinct, auto each) {
        using Set = CandidateSet<decltype(distinct)::value, decltype(each)::value>;
        launch_sample_floor<Set>(job, [&](unsigned blocks, unsigned full) {
            const unsigned threads = groups_of<Set>(job.k, blocks, full).threads;
            const unsigned fewer = threads > 32 ? 16 : std::max(threads / 4, 1u);
            return Groups{fewer, blocks * (kThreads / fewer)};
        });
    });
}

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<TopK<Key>>>& ablations() {
    const auto limit = [](std::size_t most, const char* why) {
        return tutorial::Limits{most, why};
    };
    const auto stage = RowKind::stage;
    static const std::vector<Stage<TopK<Key>>> table = {
        {{"best", "the chapter's"}, {best<Key>, kMaxN, kMaxK}},
        {{"short_cells", "four reads in flight, however many keys"}, {short_cells<Key>, kFewerK}},
        {{"long_cells", "all eight reads in flight, however few keys", stage,
          limit(kMaxLong, "more words than block 0 asks for at once")},
         {long_cells<Key>, kFewerK}},
        {{"block_cells", "four warps share a cell, however few keys"}, {block_cells<Key>, kFewerK}},
        {{"cached", "keys stay in the cache if they can"}, {cached<Key>, kFewerK}},
        {{"few_floor", "a floor in each block; the last one merges", stage,
          limit(kMaxFew, "a block has one tile, and eight lists are merged")},
         {few_floor<Key>, kFewK}},
        {{"sample_floor", "a floor from all groups' bests"}, {sample_floor<Key>, kMaxK, kMaxK}},
        {{"warp_groups", "the same, groups of whole warps"}, {warp_groups<Key>, kMaxK, kMaxK}},
        {{"fine_groups", "the same, four times as many groups"}, {fine_groups<Key>, kMaxK, kMaxK}},
        {{"radix_select", "the k-th digit by digit"}, {radix_select<Key>, kMaxN, 0}},
    };
    return table;
}

/// Room for the smallest cells and the finest groups.
ScratchSizes scratch_of_ablations(unsigned k, std::size_t n) {
    ScratchSizes sizes = scratch_sizes(k, n);
    sizes.bests = std::max(sizes.bests, std::size_t{3} * kBlocksPerSm * sm_count() * kThreads);
    sizes.words = n / kRowOfCell + 2 * kThreads;
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
            const Parts<int> parts = {ablations<int>(), scratch_of_ablations, reference<int>,
                                      insert_value,     threshold_blocks,     kThresholdThreads};
            return std::make_unique<TopKExperiment<int>>(options, question, parts);
        });
}
