// Chapter 4, ablations: what was tried for `best` at many ints and did not win. Only for GPUs of
// compute capability 9.0 or later, as in the other chapters.
//
// A row differs from `best` in one thing, or from the row that it names. Checked and timed by the
// chapter's own experiment.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch04_squaresum_ablations
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

constexpr std::size_t kMaxItems = (std::size_t{1} << 31) + 3;

// ---- Smaller tiles ---------------------------------------------------------------------------

constexpr unsigned kHalfReads = kMaxReads / 2;

// half_tiles: four vectors per thread instead of eight, four blocks per multiprocessor instead of
// two.
// Removes: half of what is idle while a block ends: the other three keep reading.
// Remains: twice as many sums as in `tile_sizes`.
__global__ void __launch_bounds__(kThreads, 2 * kMinBlocksPerSm)
    half_tiles_kernel(const int* items, std::size_t n, unsigned tiles, GridAccumulator* accumulator,
                      Sum* sums) {
    grid_dependency_synchronize();
    Sum mine = sum_tail(items, n);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        mine += tile_sum<kThreads, kHalfReads, true>(items, n, tile);
    }
    add_blocks(block_sum<kThreads>(mine), accumulator, sums);
}

void half_tiles(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    const unsigned tiles = tiles_for(n, kHalfReads);
    launch_programmatic(half_tiles_kernel, std::min(tiles, kMaxBlocks), kThreads, d_items, n, tiles,
                        d_accumulator, d_sums);
}

// ---- Other ways to bring the blocks' sums together -------------------------------------------

constexpr unsigned kAccumulators = kWarpSize;

// many_words: 32 pairs of words, which the blocks use in turn; a lane of block 0 waits for each.
// Removes: 31 of 32 additions to the same word.
// Remains: 64 cache lines come from memory, which takes a larger part of the time for small n.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    many_words_kernel(const int* items, std::size_t n, unsigned tiles,
                      GridAccumulator* accumulators, Sum* sums) {
    grid_dependency_synchronize();
    const Sum mine = block_sum<kThreads>(sum_of_tiles<true>(items, n, tiles));
    if (threadIdx.x >= kAccumulators) return;
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) add_counted(mine, accumulators + blockIdx.x % kAccumulators);
        return;
    }
    // How many blocks have an index with this remainder; block 0 adds to no word.
    const unsigned blocks = (gridDim.x + kAccumulators - 1 - threadIdx.x) / kAccumulators;
    const unsigned others = threadIdx.x == 0 ? blocks - 1 : blocks;
    Sum total = threadIdx.x == 0 ? mine : 0;
    if (others > 0) total += wait_for_all(accumulators + threadIdx.x, others);
    total = warp_sum(total);
    if (threadIdx.x == 0) *sums = total;
}

void many_words(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulators) {
    const unsigned tiles = tiles_for(n, kMaxReads);
    launch_programmatic(many_words_kernel, tiles, kThreads, d_items, n, tiles, d_accumulators,
                        d_sums);
}

/// A block's sum as in chapter 3, but in two words: 32 bits of it in each, and above them a 1 that
/// says that they have been written.
struct Halves {
    Sum low;
    Sum high;
};
constexpr Sum kWritten = Sum{1} << 32;

/// The sum of what `count` blocks publish, spread over the threads; leaves zeros.
__device__ Sum consume(Halves* halves, unsigned count) {
    Sum total = 0;
    for (unsigned at = threadIdx.x; at < count; at += kThreads) {
        Sum low = 0;
        Sum high = 0;
        while (low == 0 || high == 0) {
            low = load_relaxed(&halves[at].low);
            high = load_relaxed(&halves[at].high);
        }
        total += (low & (kWritten - 1)) + (high << 32);
        store_relaxed(&halves[at].low, Sum{0});
        store_relaxed(&halves[at].high, Sum{0});
    }
    return total;
}

/// Adds the blocks' sums as chapter 3's `best` does. Thread 0 has the block's sum.
__device__ void publish_and_collect(Sum mine, Halves* halves, Sum* sums) {
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) {
            store_relaxed(&halves[blockIdx.x - 1].low, kWritten | (mine & (kWritten - 1)));
            store_relaxed(&halves[blockIdx.x - 1].high, kWritten | (mine >> 32));
        }
        return;
    }
    Sum total = threadIdx.x == 0 ? mine : 0;
    __syncthreads();  // thread 0 has read warp_sums
    total = block_sum<kThreads>(total + consume(halves, gridDim.x - 1));
    if (threadIdx.x == 0) *sums = total;
}

// own_words: each block has two words of its own, as in chapter 3; block 0 collects them.
// Removes: words that many blocks add to.
// Remains: two words per block that come from memory and go back to it.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    own_words_kernel(const int* items, std::size_t n, unsigned tiles, Halves* halves, Sum* sums) {
    grid_dependency_synchronize();
    const Sum mine = block_sum<kThreads>(sum_of_tiles<true>(items, n, tiles));
    publish_and_collect(mine, halves, sums);
}

void own_words(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulators) {
    const unsigned tiles = tiles_for(n, kMaxReads);
    launch_programmatic(own_words_kernel, tiles, kThreads, d_items, n, tiles,
                        reinterpret_cast<Halves*>(d_accumulators), d_sums);
}

// ---- 32 bits ---------------------------------------------------------------------------------

/// The squares of this thread's vectors of a tile: of digits, so that 32 bits hold their sum.
__device__ unsigned digits_sum(const int* items, std::size_t n, unsigned tile) {
    int4 v[kMaxReads];
    load_tile<kThreads, true>(as_vectors(items), vector_count(n), tile, v);
    int mine = 0;
#pragma unroll
    for (unsigned k = 0; k < kMaxReads; ++k) {
        mine += (v[k].x * v[k].x + v[k].y * v[k].y) + (v[k].z * v[k].z + v[k].w * v[k].w);
    }
    return static_cast<unsigned>(mine);
}

// narrow: `own_words`, but a block adds in 32 bits. Right for digits only: it shows what 64 bits
// cost.
// Removes: the second half of each product, each shuffle and each addition within a block.
// Remains: everything else.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    narrow_kernel(const int* items, std::size_t n, Halves* halves, Sum* sums) {
    constexpr unsigned kWarps = kThreads / kWarpSize;
    __shared__ unsigned warp_sums[kWarps];
    grid_dependency_synchronize();
    unsigned mine = digits_sum(items, n, blockIdx.x) + static_cast<unsigned>(sum_tail(items, n));
    for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp's sum is there
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < kWarps; ++warp) mine += warp_sums[warp];
    }
    publish_and_collect(mine, halves, sums);
}

void narrow(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulators) {
    launch_programmatic(narrow_kernel, tiles_for(n, kMaxReads), kThreads, d_items, n,
                        reinterpret_cast<Halves*>(d_accumulators), d_sums);
}

// ---- The table -------------------------------------------------------------------------------

const std::vector<Stage<ReduceStage>>& ablations() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"best", "the chapter's: counted words, two tiles per block"}, {best, 1}},
        {{"half_tiles", "four vectors per thread, one tile per block"}, {half_tiles, 1}},
        {{"many_words", "32 pairs of counted words, one tile per block"}, {many_words, 1}},
        {{"own_words", "words of each block's own, as in chapter 3"}, {own_words, 1}},
        {{"narrow", "own_words, 32 bits: digits only"}, {narrow, 1}},
    };
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    return Chapter("ch04_ablations", "The sum of the squares of N ints, what did not win", "int")
        .sizes(std::size_t{1} << 28, std::size_t{1} << 20, kMaxItems, std::size_t{1} << 24)
        .run(argc, argv, [](const Options& options) -> std::unique_ptr<Experiment> {
            // own_words needs the most: a pair of words per block.
            const std::size_t accumulators = divide_up(
                tiles_for(kMaxItems, kMaxReads) * sizeof(Halves), sizeof(GridAccumulator));
            const SquareSumParts parts = {ablations(), host_sum,     1,
                                          1,           accumulators, library_sum<square>()};
            return std::make_unique<SquareSumExperiment>(options, parts, "digits", false);
        });
}
