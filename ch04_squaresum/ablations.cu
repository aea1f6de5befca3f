// Chapter 4, beside it: what was tried for `best` at many ints and did not win. For GPUs of compute
// capability 9.0 or later only, as in the other chapters.
//
// A row differs from `best` in one thing, or from the row that it names. Checked and timed by the
// chapter's own experiment.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch04_squaresum_ablations
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cuda/atomic>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

constexpr std::size_t kMaxItems = (std::size_t{1} << 31) + 3;

/// The tiles of n items for blocks of `threads`, each of which reads `reads` vectors of a tile.
unsigned tiles_of(std::size_t n, unsigned threads, unsigned reads) {
    const std::size_t tile = std::size_t{threads} * reads;
    return static_cast<unsigned>(std::max<std::size_t>(1, (n / kWidth + tile - 1) / tile));
}

/// The squares of this block's tiles and of the items behind the last vector, a sum a thread.
template <unsigned kBlock, unsigned kReads>
__device__ Sum own_sum(const int* items, std::size_t n, unsigned tiles) {
    Sum mine = sum_tail(items, n);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        mine += tile_sum<kBlock, kReads, true>(items, n, tile, [] {});
    }
    return mine;
}

/// Counts a block's sum in.
__device__ void add_to(Meeting* meeting, Sum sum) {
    constexpr Sum kCountOne = Sum{1} << kCountShift;
    atomicAdd(&meeting->low, kCountOne | (sum & 0xffffffffu));
    atomicAdd(&meeting->high, kCountOne | (sum >> 32));
}

/// Meets as in `best`. Thread 0 has the block's sum.
__device__ void meet(Sum sum, Meeting* meeting, Sum* sums) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *sums = sum + wait_for_all(meeting, gridDim.x - 1);
    } else {
        add_to(meeting, sum);
    }
}

// ---- Other numbers of blocks, and other blocks -----------------------------------------------

template <unsigned kBlock, unsigned kReads, unsigned kPerSm>
__global__ void __launch_bounds__(kBlock, kPerSm)
    shape_kernel(const int* items, std::size_t n, unsigned tiles, Meeting* meeting, Sum* sums) {
    grid_dependency_synchronize();
    meet(block_sum<kBlock>(own_sum<kBlock, kReads>(items, n, tiles)), meeting, sums);
}

template <unsigned kBlock, unsigned kReads, unsigned kPerSm>
void launch_shape(const int* d_items, std::size_t n, Sum* d_sums, void* d_scratch,
                  unsigned most_blocks) {
    const unsigned tiles = tiles_of(n, kBlock, kReads);
    launch_programmatic(shape_kernel<kBlock, kReads, kPerSm>, std::min(tiles, most_blocks), kBlock,
                        d_items, n, tiles, static_cast<Meeting*>(d_scratch), d_sums);
}

// one_tile: a tile a block, up to as many blocks as can be counted.
// Removes: a second tile, which a block reads only when it has added the first.
// Remains: twice the sums, which come in turns to the same two words.
void one_tile(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_shape<kThreads, kMaxReads, kBlocksPerSm>(d_items, n, d_sums, d_scratch, kMaxBlocks);
}

// few_blocks: no more than 2^11, of as many tiles as it takes.
// Removes: most of the sums that meet.
// Remains: a block is done late, and nothing is left to fill the room that others leave.
void few_blocks(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_shape<kThreads, kMaxReads, kBlocksPerSm>(d_items, n, d_sums, d_scratch, 1u << 11);
}

// resident: as many blocks as fit on the device, as in `full_grid`; they take the tiles in turns.
// Removes: starting and ending thousands of blocks.
// Remains: the slowest multiprocessor has as many tiles to read as the fastest.
void resident(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    const auto sms = static_cast<unsigned>(device_info().sm_count);
    launch_shape<kThreads, kMaxReads, kBlocksPerSm>(d_items, n, d_sums, d_scratch,
                                                    sms * kBlocksPerSm);
}

// half_tiles: four vectors a thread and not eight, four blocks a multiprocessor and not two.
// Removes: nothing in flight; the other three read on while one block ends.
// Remains: twice the sums that meet, again.
void half_tiles(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_shape<kThreads, kMaxReads / 2, 2 * kBlocksPerSm>(d_items, n, d_sums, d_scratch,
                                                            kMaxBlocks);
}

// half_blocks: 256 threads and not 512, four blocks a multiprocessor and not two.
// Removes: half of the warps that wait for each other at the barrier.
// Remains: twice the sums that meet, again.
void half_blocks(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_shape<kThreads / 2, kMaxReads, 2 * kBlocksPerSm>(d_items, n, d_sums, d_scratch,
                                                            kMaxBlocks);
}

// ---- Other ways to bring the blocks' sums together -------------------------------------------

constexpr unsigned kMeetings = kWarpSize;

// many_words: 32 pairs of words, which the blocks take in turns; a lane of block 0 waits for each.
// Removes: 31 of 32 sums that come to the same word.
// Remains: 64 cache lines that come from the memory, where few ints make the way to it count.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    many_words_kernel(const int* items, std::size_t n, unsigned tiles, Meeting* meetings,
                      Sum* sums) {
    grid_dependency_synchronize();
    const Sum mine = block_sum(own_sum<kThreads, kMaxReads>(items, n, tiles));
    if (threadIdx.x >= kMeetings) return;
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) add_to(meetings + blockIdx.x % kMeetings, mine);
        return;
    }
    // Those of the blocks 1, 2, ... whose number leaves this remainder.
    const unsigned blocks = (gridDim.x + kMeetings - 1 - threadIdx.x) / kMeetings;
    const unsigned others = threadIdx.x == 0 ? blocks - 1 : blocks;
    Sum total = threadIdx.x == 0 ? mine : 0;
    if (others > 0) total += wait_for_all(meetings + threadIdx.x, others);
    for (unsigned half = kMeetings / 2; half > 0; half /= 2) {
        total += __shfl_down_sync(kFullMask, total, half);
    }
    if (threadIdx.x == 0) *sums = total;
}

void many_words(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    const unsigned tiles = tiles_of(n, kThreads, kMaxReads);
    launch_programmatic(many_words_kernel, tiles, kThreads, d_items, n, tiles,
                        static_cast<Meeting*>(d_scratch), d_sums);
}

/// A block's sum, as in chapter 3, but in two words: 32 bits of it in each, and a 1 above them.
struct Halves {
    Sum low;
    Sum high;
};
constexpr Sum kIsThere = Sum{1} << 32;

__device__ void write(Sum* word, Sum value) {
    cuda::atomic_ref<Sum, cuda::thread_scope_device>(*word).store(value,
                                                                  cuda::memory_order_relaxed);
}

/// The sum of what `count` blocks publish, spread over the threads; leaves zeros.
__device__ Sum consume(Halves* halves, unsigned count) {
    Sum total = 0;
    for (unsigned at = threadIdx.x; at < count; at += kThreads) {
        Sum low = 0;
        Sum high = 0;
        while (low == 0 || high == 0) {
            low = look_at(&halves[at].low);
            high = look_at(&halves[at].high);
        }
        total += (low & (kIsThere - 1)) + (high << 32);
        write(&halves[at].low, 0);
        write(&halves[at].high, 0);
    }
    return total;
}

/// Publishes and collects as chapter 3's `best` does. Thread 0 has the block's sum.
__device__ void publish_and_collect(Sum mine, Halves* halves, Sum* sums) {
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) {
            write(&halves[blockIdx.x - 1].low, kIsThere | (mine & (kIsThere - 1)));
            write(&halves[blockIdx.x - 1].high, kIsThere | (mine >> 32));
        }
        return;
    }
    Sum total = threadIdx.x == 0 ? mine : 0;
    __syncthreads();  // thread 0 has read warp_sums
    total = block_sum(total + consume(halves, gridDim.x - 1));
    if (threadIdx.x == 0) *sums = total;
}

// own_words: each block has two words of its own, as in chapter 3; block 0 collects them.
// Removes: words that many add to.
// Remains: two words a block that come from the memory, and go back to it.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    own_words_kernel(const int* items, std::size_t n, unsigned tiles, Halves* halves, Sum* sums) {
    grid_dependency_synchronize();
    const Sum mine = block_sum(own_sum<kThreads, kMaxReads>(items, n, tiles));
    publish_and_collect(mine, halves, sums);
}

void own_words(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    const unsigned tiles = tiles_of(n, kThreads, kMaxReads);
    launch_programmatic(own_words_kernel, tiles, kThreads, d_items, n, tiles,
                        static_cast<Halves*>(d_scratch), d_sums);
}

// ---- Other ways to add within a block --------------------------------------------------------

/// The sum of the block's `mine`, in thread 0: the first warp adds the warps' sums by shuffles.
__device__ Sum block_sum_by_shuffles(Sum mine) {
    constexpr unsigned kWarps = kThreads / kWarpSize;
    __shared__ Sum warp_sums[kWarps];
    for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp's sum is there
    if (threadIdx.x >= kWarpSize) return 0;
    mine = threadIdx.x < kWarps ? warp_sums[threadIdx.x] : 0;
    for (unsigned half = kWarps / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    return mine;
}

// two_trees: `one_tile`, and the warps' sums are added in a tree, too, by the first warp.
// Removes: fifteen additions by one thread.
// Remains: four shuffles of 64 bits, each of them two of 32, take as long.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    two_trees_kernel(const int* items, std::size_t n, unsigned tiles, Meeting* meeting, Sum* sums) {
    grid_dependency_synchronize();
    meet(block_sum_by_shuffles(own_sum<kThreads, kMaxReads>(items, n, tiles)), meeting, sums);
}

void two_trees(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    const unsigned tiles = tiles_of(n, kThreads, kMaxReads);
    launch_programmatic(two_trees_kernel, std::min(tiles, kMaxBlocks), kThreads, d_items, n, tiles,
                        static_cast<Meeting*>(d_scratch), d_sums);
}

/// The squares of a tile's vectors, of digits: 32 bits hold them.
__device__ unsigned digits_sum(const int* items, std::size_t n, unsigned tile) {
    const auto* vectors = reinterpret_cast<const int4*>(items);
    const auto count = static_cast<unsigned>(n / kWidth);
    const unsigned first = tile * (kThreads * kMaxReads) + threadIdx.x;
    int4 v[kMaxReads];
#pragma unroll
    for (unsigned k = 0; k < kMaxReads; ++k) {
        const unsigned i = first + k * kThreads;
        v[k] = i < count ? load<true>(vectors + i) : make_int4(0, 0, 0, 0);
    }
    int mine = 0;
#pragma unroll
    for (unsigned k = 0; k < kMaxReads; ++k) {
        mine += (v[k].x * v[k].x + v[k].y * v[k].y) + (v[k].z * v[k].z + v[k].w * v[k].w);
    }
    return static_cast<unsigned>(mine);
}

// narrow: `own_words`, and a block adds in 32 bits. Right for digits only: it shows a cost.
// Removes: the second half of each product, each shuffle and each addition within a block.
// Remains: all else.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
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

void narrow(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_programmatic(narrow_kernel, tiles_of(n, kThreads, kMaxReads), kThreads, d_items, n,
                        static_cast<Halves*>(d_scratch), d_sums);
}

// ---- The table -------------------------------------------------------------------------------

const std::vector<Stage<ReduceStage>>& ablations() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"best", "the chapter's: counted words, two tiles a block of many"}, {best, 1, no_block}},
        {{"one_tile", "a tile a block"}, {one_tile, 1, no_block}},
        {{"few_blocks", "2^11 blocks at most, of many tiles"}, {few_blocks, 1, no_block}},
        {{"resident", "as many blocks as fit, tiles in turns"}, {resident, 1, no_block}},
        {{"half_tiles", "four vectors a thread, four blocks an SM"}, {half_tiles, 1, no_block}},
        {{"half_blocks", "256 threads a block, four blocks an SM"}, {half_blocks, 1, no_block}},
        {{"many_words", "32 pairs of counted words, a tile a block"}, {many_words, 1, no_block}},
        {{"own_words", "words of each block's own, as in chapter 3"}, {own_words, 1, no_block}},
        {{"two_trees", "one_tile, warps' sums added by shuffles"}, {two_trees, 1, no_block}},
        {{"narrow", "own_words, 32 bits: digits only"}, {narrow, 1, no_block}},
    };
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    return Chapter("ch04_ablations", "The sum of the squares of N ints, what did not win", "int")
        .sizes(std::size_t{1} << 28, std::size_t{1} << 20, kMaxItems, std::size_t{1} << 24)
        .run(argc, argv, [](const Options& options) -> std::unique_ptr<Experiment> {
            // own_words needs most: a pair of words a block.
            const std::size_t scratch =
                std::max(tiles_of(kMaxItems, kThreads, kMaxReads) * sizeof(Halves),
                         kMeetings * sizeof(Meeting));
            const SquareSumParts parts = {ablations(), host_sum, 1, 1, scratch, cub_sum<square>};
            return std::make_unique<SquareSumExperiment>(options, parts, "digits", false);
        });
}
