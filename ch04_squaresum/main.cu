// Chapter 4: the sum of the squares of N ints, exact in 64 bits, from one thread to the device.
//
// You will learn: to spread work over threads, over neighbouring addresses and over blocks; to read
// the device's own clocks, and which of them can be compared; to tell when memory is the limit; and
// what integers allow that floats do not: every order of additions gives the same sum.
//
// Stages, made by ./tutorial docs from the table below:
//   1 one_thread       the host's loop on the device
//   2 chunked          512 threads, each its own piece
//   3 interleaved      neighbours read neighbours
//   4 blocks           8 blocks of 64 threads
//   5 thread0          thread 0 adds its block's sums
//   6 tree             the block's threads add in a tree
//   7 atomic           the blocks add their sums to one
//   8 full_grid        as many blocks as the device holds
//   9 shuffle          warps add register to register
//  10 vector           16 bytes per load
//  11 in_flight        eight loads in flight per thread
//  12 tile_per_block   as many blocks as tiles
//  13 streaming        no room in the cache for what is read once
//  14 counted          sum and count in one word, one launch
//  15 prefetched       the counted words come with the items
//  16 single_block     small n: one block, and nothing to count
//  17 tile_sizes       1 to 8 loads per thread, by n
//  18 best_serialized  two tiles per block for very large n
//  19 best             launches that overlap
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch04_squaresum
//   nvcc -std=c++17 -O3 -arch=native -I. ch04_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch04
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_clock.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/programmatic_launch.hpp"
#include "../common/harness/resident_blocks.hpp"
#include "experiment.hpp"
#include "library.cuh"

namespace {

using namespace tutorial;

/// Exact for every int: the largest square, that of INT_MIN, is 2^62. Sum is unsigned long long,
/// the 64-bit type that atomicAdd takes.
__host__ __device__ Sum square(int item) {
    const long long wide = item;
    return static_cast<Sum>(wide * wide);
}

/// The sum on the host. Throws UsageError if 64 bits cannot hold it.
Sum host_sum(const std::vector<int>& items) {
    Sum sum = 0;
    for (const int item : items) {
        sum += square(item);
        // Unsigned numbers wrap around, and are then smaller than before.
        if (sum < square(item)) {
            throw UsageError(
                "the squares of this input add up to 2^64 or more, which 64 bits cannot hold: use "
                "smaller --values or a smaller --n");
        }
    }
    return sum;
}

// ---- One block -------------------------------------------------------------------------------
// The kernels up to `tree` are those of the 2014 article: each leaves sums for the host to add.
// `times`: see device_clock.hpp.

constexpr unsigned kThreads = 512;

// one_thread: the host's loop, moved to the device.
// Removes: (the starting point).
// Remains: one of many thousands of threads works, and waits for most of its reads.
__global__ void one_thread_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    Sum sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += square(items[i]);
    sums[0] = sum;
    stop_block_clock(times);
}

void one_thread(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    one_thread_kernel<<<1, 1>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// chunked: 512 threads, each with its own contiguous piece.
// Removes: most of the waiting: while one warp waits, another reads.
// Remains: a warp's 32 threads read 32 words far apart at a time: 32 sectors of 32 bytes for 128
// bytes that are used.
__global__ void chunked_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const std::size_t piece = (n + kThreads - 1) / kThreads;
    const std::size_t begin = threadIdx.x * piece;
    const std::size_t end = begin + piece < n ? begin + piece : n;
    Sum sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += square(items[i]);
    sums[threadIdx.x] = sum;
    stop_block_clock(times);
}

void chunked(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    chunked_kernel<<<1, kThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// interleaved: the threads take turns, so that neighbours read neighbours.
// Removes: the scattered reads: a warp's 32 items are 4 sectors in a row.
// Remains: one block, so one multiprocessor; the others idle.
__global__ void interleaved_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    Sum sum = 0;
    for (std::size_t i = threadIdx.x; i < n; i += kThreads) sum += square(items[i]);
    sums[threadIdx.x] = sum;
    stop_block_clock(times);
}

void interleaved(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    interleaved_kernel<<<1, kThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// ---- Several blocks --------------------------------------------------------------------------

constexpr unsigned kArticleBlocks = 8;
constexpr unsigned kArticleThreads = 64;  // per block; in all 512, as before
constexpr unsigned kArticleGridThreads = kArticleBlocks * kArticleThreads;

/// The sum of this thread's items: the grid's `threads` threads take turns.
__device__ Sum interleaved_sum(const int* items, std::size_t n, std::size_t threads) {
    Sum sum = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        sum += square(items[i]);
    }
    return sum;
}

// blocks: the same 512 threads as 8 blocks of 64.
// Removes: the limits of one multiprocessor, which did not matter: on the small GPU of 2014 one
// block already kept the memory busy, and on a large GPU too few reads are in flight anyway.
// Remains: the same 512 threads have the same few reads in flight and wait for them.
__global__ void blocks_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    sums[blockIdx.x * kArticleThreads + threadIdx.x] =
        interleaved_sum(items, n, kArticleGridThreads);
    stop_block_clock(times);
}

void blocks(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    blocks_kernel<<<kArticleBlocks, kArticleThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// thread0: each block's first thread adds the block's sums.
// Removes: work of the host: 8 sums to copy and add, not 512.
// Remains: 63 threads wait while one adds.
__global__ void thread0_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    __shared__ Sum block_sums[kArticleThreads];
    start_block_clock(times);
    block_sums[threadIdx.x] = interleaved_sum(items, n, kArticleGridThreads);
    __syncthreads();  // every thread's sum is there
    if (threadIdx.x == 0) {
        Sum sum = 0;
        for (unsigned t = 0; t < kArticleThreads; ++t) sum += block_sums[t];
        sums[blockIdx.x] = sum;
    }
    stop_block_clock(times);
}

void thread0(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    thread0_kernel<<<kArticleBlocks, kArticleThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

/// The sum of all threads' `mine`, in thread 0, by a tree in shared memory. All threads of a block
/// of kBlockThreads must call it.
template <unsigned kBlockThreads>
__device__ Sum tree_sum(Sum mine) {
    __shared__ Sum block_sums[kBlockThreads];
    const unsigned t = threadIdx.x;
    block_sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kBlockThreads / 2; half > 0; half /= 2) {
        if (t < half) block_sums[t] += block_sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    return block_sums[0];
}

// tree: half the threads add the other half's sums, then a quarter, and so on.
// Removes: 63 serial additions; 6 steps are left.
// Remains: 8 sums for the host to copy and add.
__global__ void tree_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const Sum sum = tree_sum<kArticleThreads>(interleaved_sum(items, n, kArticleGridThreads));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    stop_block_clock(times);
}

void tree(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    tree_kernel<<<kArticleBlocks, kArticleThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// atomic: each block adds its sum to a single result. Atomic additions happen in any order, which
// does not matter: integers give the same sum in every order.
// Removes: the host's work.
// Remains: 8 blocks; and a second operation on the device, which clears the result.
__global__ void atomic_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const Sum sum = tree_sum<kArticleThreads>(interleaved_sum(items, n, kArticleGridThreads));
    if (threadIdx.x == 0) atomicAdd(sums, sum);
    stop_block_clock(times);
}

void atomic(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    atomic_kernel<<<kArticleBlocks, kArticleThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// ---- As many blocks as the device holds ------------------------------------------------------

// full_grid: as many blocks of 512 threads as the device holds at once.
// Removes: idle multiprocessors: each has as many reading threads as it can hold.
// Remains: a tree with ten barriers in every block; 4-byte reads, only a few in flight per thread.
__global__ void full_grid_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    const Sum sum = tree_sum<kThreads>(interleaved_sum(items, n, threads));
    if (threadIdx.x == 0) atomicAdd(sums, sum);
    stop_block_clock(times);
}

unsigned full_grid_blocks() {
    static const unsigned blocks = resident_blocks(full_grid_kernel, kThreads);  // asked for once
    return blocks;
}

void full_grid(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times) {
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    full_grid_kernel<<<full_grid_blocks(), kThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// From here on no kernel reads the device's clocks: a fast one contains only what it needs.

/// The sum of the warp's `mine`, in lane 0: registers go from lane to lane.
__device__ Sum warp_sum(Sum mine) {
#pragma unroll
    for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    return mine;
}

/// The sum of the block's `mine`, in thread 0: each warp adds by shuffles, then thread 0 adds the
/// warps' sums. All threads of a block of kBlockThreads must call it.
template <unsigned kBlockThreads>
__device__ Sum block_sum(Sum mine) {
    constexpr unsigned kWarps = kBlockThreads / kWarpSize;
    __shared__ Sum warp_sums[kWarps];
    mine = warp_sum(mine);
    if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp's sum is there
    if (threadIdx.x == 0) {
#pragma unroll
        for (unsigned warp = 1; warp < kWarps; ++warp) mine += warp_sums[warp];
    }
    return mine;
}

// shuffle: the lanes of a warp add register to register, and thread 0 adds the warps' sums.
// Removes: nine of the tree's ten barriers, and most of its shared memory.
// Remains: 4-byte reads: four load instructions for what one could load.
__global__ void shuffle_kernel(const int* items, std::size_t n, Sum* sums) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    const Sum sum = block_sum<kThreads>(interleaved_sum(items, n, threads));
    if (threadIdx.x == 0) atomicAdd(sums, sum);
}

void shuffle(const int* d_items, std::size_t n, Sum* d_sums) {
    static const unsigned blocks = resident_blocks(shuffle_kernel, kThreads);
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    shuffle_kernel<<<blocks, kThreads>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- 16 bytes at a time ----------------------------------------------------------------------

constexpr unsigned kWidth = 4;  // ints in a 16-byte vector

__device__ const int4* as_vectors(const int* items) { return reinterpret_cast<const int4*>(items); }

/// How many vectors n items fill, in 32 bits, as in chapter 3.
__device__ unsigned vector_count(std::size_t n) { return static_cast<unsigned>(n / kWidth); }

__device__ Sum sum_squares(int4 v) {
    return (square(v.x) + square(v.y)) + (square(v.z) + square(v.w));
}

/// The squares of the last n % 4 items, which fill no vector: threads of block 0 take one each.
__device__ Sum sum_tail(const int* items, std::size_t n) {
    const std::size_t i = n / kWidth * kWidth + threadIdx.x;
    return blockIdx.x == 0 && i < n ? square(items[i]) : 0;
}

// vector: a thread reads four neighbouring ints with one instruction.
// Removes: three of four load instructions.
// Remains: a thread waits for one vector before it asks for the next.
__global__ void vector_kernel(const int* items, std::size_t n, Sum* sums) {
    const int4* vectors = as_vectors(items);
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    Sum mine = sum_tail(items, n);
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
         i < n / kWidth; i += threads) {
        mine += sum_squares(vectors[i]);
    }
    mine = block_sum<kThreads>(mine);
    if (threadIdx.x == 0) atomicAdd(sums, mine);
}

void vector(const int* d_items, std::size_t n, Sum* d_sums) {
    require_aligned(d_items, "vector");
    static const unsigned blocks = resident_blocks(vector_kernel, kThreads);
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    vector_kernel<<<blocks, kThreads>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- Tiles: eight vectors per thread ---------------------------------------------------------

constexpr unsigned kMinBlocksPerSm = 2;  // so that registers leave room for two blocks

/// The squares of a thread's vectors.
template <unsigned kReads>
__device__ Sum sum_squares(const int4 (&v)[kReads]) {
    Sum mine = 0;
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) mine += sum_squares(v[k]);
    return mine;
}

/// How many tiles of threads * reads vectors hold n items; at least one.
unsigned tiles_for(std::size_t n, unsigned reads, unsigned threads = kThreads) {
    const std::size_t tile = std::size_t{threads} * reads;
    return std::max(1u, static_cast<unsigned>(divide_up(n / kWidth, tile)));
}

/// The squares of this thread's vectors of a tile. load_tile, as in chapter 3, issues all loads
/// before the first value is used. All threads of a block of kBlockThreads must call it.
template <unsigned kBlockThreads, unsigned kReads, bool kStreaming>
__device__ Sum tile_sum(const int* items, std::size_t n, unsigned tile) {
    int4 v[kReads];
    load_tile<kBlockThreads, kStreaming>(as_vectors(items), vector_count(n), tile, v);
    return sum_squares(v);
}

/// The squares of this thread's vectors of all tiles of its block, and of the last n % 4 items.
template <bool kStreaming>
__device__ Sum sum_of_tiles(const int* items, std::size_t n, unsigned tiles) {
    Sum mine = sum_tail(items, n);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        mine += tile_sum<kThreads, kMaxReads, kStreaming>(items, n, tile);
    }
    return mine;
}

// in_flight: a thread asks for its eight vectors of a tile before it uses the first of them, and
// the blocks take tiles in turn.
// Removes: seven of eight waits for memory.
// Remains: some blocks have one tile more to read than others, or a slower multiprocessor; at the
// end the rest of the device waits for them.
template <bool kStreaming>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    in_flight_kernel(const int* items, std::size_t n, unsigned tiles, Sum* sums) {
    const Sum sum = block_sum<kThreads>(sum_of_tiles<kStreaming>(items, n, tiles));
    if (threadIdx.x == 0) atomicAdd(sums, sum);
}

void in_flight(const int* d_items, std::size_t n, Sum* d_sums) {
    require_aligned(d_items, "in_flight");
    static const unsigned blocks = resident_blocks(in_flight_kernel<false>, kThreads);
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    in_flight_kernel<false><<<blocks, kThreads>>>(d_items, n, tiles_for(n, kMaxReads), d_sums);
    CUDA_CHECK_LAUNCH();
}

// tile_per_block: the same kernel, with as many blocks as tiles: a block reads one, and ends.
// Removes: tiles assigned in advance: the hardware starts the next block on whichever
// multiprocessor has room.
// Remains: if the L2 cache cannot hold all items, each line that arrives evicts another, and none
// of them is read again.
void tile_per_block(const int* d_items, std::size_t n, Sum* d_sums) {
    require_aligned(d_items, "tile_per_block");
    const unsigned tiles = tiles_for(n, kMaxReads);
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    in_flight_kernel<false><<<tiles, kThreads>>>(d_items, n, tiles, d_sums);
    CUDA_CHECK_LAUNCH();
}

// streaming: beyond the cache, loads say that their line will not be read again.
// Removes: lines in the L2 cache that nothing will read.
// Remains: a second operation on the device, which clears the result.
void streaming(const int* d_items, std::size_t n, Sum* d_sums) {
    require_aligned(d_items, "streaming");
    const unsigned tiles = tiles_for(n, kMaxReads);
    auto* kernel = beyond_cache(n * sizeof(int)) ? in_flight_kernel<true> : in_flight_kernel<false>;
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    kernel<<<tiles, kThreads>>>(d_items, n, tiles, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- One launch: counted words ---------------------------------------------------------------

// A GridAccumulator (experiment.hpp) is two words that all blocks add to. The top 16 bits of each
// count the blocks that have added; the bits below add up the low 32 bits of their sums in one, and
// the high 32 bits in the other.
constexpr unsigned kCountShift = 48;
constexpr unsigned kMaxBlocks = 1u << 15;  // so that 2^32 - 1 from each cannot reach the count

/// Adds the sum of a block to both words and counts the block.
__device__ void add_counted(Sum sum, GridAccumulator* accumulator) {
    constexpr Sum kCountOne = Sum{1} << kCountShift;
    atomicAdd(&accumulator->low, kCountOne | (sum & 0xffffffffu));
    atomicAdd(&accumulator->high, kCountOne | (sum >> 32));
}

/// Waits until `count` blocks have added to both words; clears them, and returns the sum. Both
/// words are loaded together: one trip to memory, not two. Between two polls the thread sleeps as
/// briefly as possible, because polling contends with the atomics.
__device__ Sum wait_for_all(GridAccumulator* accumulator, unsigned count) {
    Sum low = load_relaxed(&accumulator->low);
    Sum high = load_relaxed(&accumulator->high);
    while (low >> kCountShift != count || high >> kCountShift != count) {
        __nanosleep(0);
        low = load_relaxed(&accumulator->low);
        high = load_relaxed(&accumulator->high);
    }
    atomicExch(&accumulator->low, Sum{0});
    atomicExch(&accumulator->high, Sum{0});
    constexpr Sum kBelowCount = (Sum{1} << kCountShift) - 1;
    return (low & kBelowCount) + ((high & kBelowCount) << 32);
}

/// Adds up the sums of all blocks; thread 0 has this block's sum. Every block except block 0
/// adds its sum to the two words and ends. Block 0 waits until all are counted, and writes the sum.
/// It waits for blocks that may not have started. No other block waits, so all of them finish in
/// the room that block 0 leaves. This works on every GPU we have tried; CUDA does not guarantee it.
__device__ void add_blocks(Sum mine, GridAccumulator* accumulator, Sum* sums) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *sums = mine + wait_for_all(accumulator, gridDim.x - 1);
    } else {
        add_counted(mine, accumulator);
    }
}

// counted: a word adds up sums and counts the blocks, so that a complete count means a complete
// sum; block 0 resets the words to 0. A block takes several tiles only if there are more tiles than
// can be counted.
// Removes: the second operation, which clears the result.
// Remains: the words may be in no cache, and then the first blocks that add wait for memory.
template <bool kStreaming>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    counted_kernel(const int* items, std::size_t n, unsigned tiles, GridAccumulator* accumulator,
                   Sum* sums) {
    grid_dependency_synchronize();  // for `best`; launched by <<<...>>>, it returns at once
    add_blocks(block_sum<kThreads>(sum_of_tiles<kStreaming>(items, n, tiles)), accumulator, sums);
}

auto* counted_kernel_for(std::size_t n) {
    return beyond_cache(n * sizeof(int)) ? counted_kernel<true> : counted_kernel<false>;
}

void counted(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    require_aligned(d_items, "counted");
    const unsigned tiles = tiles_for(n, kMaxReads);
    auto* kernel = counted_kernel_for(n);
    kernel<<<std::min(tiles, kMaxBlocks), kThreads>>>(d_items, n, tiles, d_accumulator, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- Few ints, as in chapter 3 ---------------------------------------------------------------

constexpr std::size_t kPrefetchItems = std::size_t{1} << 20;  // at most

// prefetched: with only a few blocks, each reads the words while its items are on their way, and
// ignores the values. With many blocks, the first to end fetch the lines while others read.
// Removes: a second wait for memory: the cache lines of the words arrive with the items.
// Remains: block 0 waits for other blocks even if one block could read all items.
template <unsigned kReads>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    prefetched_kernel(const int* items, std::size_t n, GridAccumulator* accumulator, Sum* sums) {
    grid_dependency_synchronize();  // for `best`
    int4 v[kReads];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, v);
    if (threadIdx.x == kThreads - 1) {
        prefetch(&accumulator->low);
        prefetch(&accumulator->high);
    }
    const Sum mine = sum_tail(items, n) + sum_squares(v);
    add_blocks(block_sum<kThreads>(mine), accumulator, sums);
}

void prefetched(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    require_aligned(d_items, "prefetched");
    if (n > kPrefetchItems) return counted(d_items, n, d_sums, d_accumulator);
    const unsigned tiles = tiles_for(n, kMaxReads);
    prefetched_kernel<kMaxReads><<<tiles, kThreads>>>(d_items, n, d_accumulator, d_sums);
    CUDA_CHECK_LAUNCH();
}

constexpr unsigned kLargeBlock = 2 * kThreads;
constexpr unsigned kSingleBlockReads = 4;  // vectors per thread of a single block
constexpr std::size_t kSingleBlockItems = kLargeBlock * kSingleBlockReads * kWidth;  // at most

// single_block: if the items are few enough, one block reads all of them at once.
// Removes: the counted words, and block 0's wait for the others.
// Remains: one size of tile for every n: a small n makes too few blocks.
template <unsigned kBlockThreads>
__global__ void __launch_bounds__(kBlockThreads)
    single_block_kernel(const int* items, std::size_t n, Sum* sums) {
    grid_dependency_synchronize();  // for `best`
    const Sum mine = tile_sum<kBlockThreads, kSingleBlockReads, false>(items, n, 0);
    const Sum total = block_sum<kBlockThreads>(mine + sum_tail(items, n));
    if (threadIdx.x == 0) *sums = total;
}

unsigned single_block_threads(std::size_t n) {
    return n <= kSingleBlockItems / 2 ? kThreads : kLargeBlock;
}

auto* single_block_kernel_for(std::size_t n) {
    return single_block_threads(n) == kThreads ? single_block_kernel<kThreads>
                                               : single_block_kernel<kLargeBlock>;
}

void single_block(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    require_aligned(d_items, "single_block");
    if (n > kSingleBlockItems) return prefetched(d_items, n, d_sums, d_accumulator);
    auto* kernel = single_block_kernel_for(n);
    kernel<<<1, single_block_threads(n)>>>(d_items, n, d_sums);
    CUDA_CHECK_LAUNCH();
}

/// The vectors per thread of a small tile, for at most kPrefetchItems items: the fewest that make
/// no more than 32 blocks, or 4. Then there are at most 128 blocks: many multiprocessors share the
/// work, and no block takes more time to start and to count than it saves.
unsigned small_tile_reads(std::size_t n) { return reads_per_thread(n / kWidth, kThreads); }

auto* prefetched_kernel_for(unsigned reads) {
    if (reads == 1) return prefetched_kernel<1>;
    return reads == 2 ? prefetched_kernel<2> : prefetched_kernel<4>;
}

// tile_sizes: if n would make only a few large tiles, the tiles are smaller.
// Removes: multiprocessors that get no tile.
// Remains: a very large n makes so many blocks that their sums wait for each other at the words.
void tile_sizes(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    require_aligned(d_items, "tile_sizes");
    if (n <= kSingleBlockItems || n > kPrefetchItems) {
        return single_block(d_items, n, d_sums, d_accumulator);
    }
    const unsigned reads = small_tile_reads(n);
    auto* kernel = prefetched_kernel_for(reads);
    kernel<<<tiles_for(n, reads), kThreads>>>(d_items, n, d_accumulator, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- Very many ints --------------------------------------------------------------------------

constexpr unsigned kMinTilesForPairs = 1u << 12;  // with so many tiles or more, a block takes two

/// How many blocks take that many tiles of kMaxReads vectors per thread. The L2 cache adds the
/// blocks' sums to a word one by one, and with too many blocks they arrive faster than it adds.
unsigned blocks_for(unsigned tiles) {
    return std::min(tiles < kMinTilesForPairs ? tiles : divide_up(tiles, 2u), kMaxBlocks);
}

// best_serialized: if there are very many tiles, a block takes two.
// Removes: half the sums that wait for each other.
// Remains: back to back, a launch begins only when the one before it has ended.
void best_serialized(const int* d_items, std::size_t n, Sum* d_sums,
                     GridAccumulator* d_accumulator) {
    require_aligned(d_items, "best_serialized");
    if (n <= kPrefetchItems) return tile_sizes(d_items, n, d_sums, d_accumulator);
    const unsigned tiles = tiles_for(n, kMaxReads);
    auto* kernel = counted_kernel_for(n);
    kernel<<<blocks_for(tiles), kThreads>>>(d_items, n, tiles, d_accumulator, d_sums);
    CUDA_CHECK_LAUNCH();
}

// ---- Launches that overlap, as in chapter 3 --------------------------------------------------

// best: the same kernels by programmatic dependent launch: a launch's blocks start while the one
// before it ends, and wait in grid_dependency_synchronize().
// Removes: most of the time between two launches. A single launch takes as long as before.
// Remains: the time that the memory takes to deliver the bytes, and one trip for the last block.
void best(const int* d_items, std::size_t n, Sum* d_sums, GridAccumulator* d_accumulator) {
    require_aligned(d_items, "best");
    if (n <= kSingleBlockItems) {
        launch_programmatic(single_block_kernel_for(n), 1, single_block_threads(n), d_items, n,
                            d_sums);
    } else if (n <= kPrefetchItems) {
        const unsigned reads = small_tile_reads(n);
        launch_programmatic(prefetched_kernel_for(reads), tiles_for(n, reads), kThreads, d_items, n,
                            d_accumulator, d_sums);
    } else {
        const unsigned tiles = tiles_for(n, kMaxReads);
        launch_programmatic(counted_kernel_for(n), blocks_for(tiles), kThreads, d_items, n, tiles,
                            d_accumulator, d_sums);
    }
}

// ---- The table -------------------------------------------------------------------------------

unsigned one_block() { return 1; }
unsigned article_blocks() { return kArticleBlocks; }

/// Each row: name, idea, limits; then its launcher, how many sums it leaves for the host to add,
/// and how many of its blocks read the device's clocks.
const std::vector<Stage<ReduceStage>>& stages() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"one_thread",
          "the host's loop on the device",
          RowKind::stage,
          {std::size_t{1} << 28, "one thread would take more than seconds"}},
         {one_thread, 1, one_block}},
        {{"chunked", "512 threads, each its own piece"}, {chunked, kThreads, one_block}},
        {{"interleaved", "neighbours read neighbours"}, {interleaved, kThreads, one_block}},
        {{"blocks", "8 blocks of 64 threads"}, {blocks, kArticleGridThreads, article_blocks}},
        {{"thread0", "thread 0 adds its block's sums"}, {thread0, kArticleBlocks, article_blocks}},
        {{"tree", "the block's threads add in a tree"}, {tree, kArticleBlocks, article_blocks}},
        {{"atomic", "the blocks add their sums to one"}, {atomic, 1, article_blocks}},
        {{"full_grid", "as many blocks as the device holds"}, {full_grid, 1, full_grid_blocks}},
        {{"shuffle", "warps add register to register"}, {shuffle, 1}},
        {{"vector", "16 bytes per load"}, {vector, 1}},
        {{"in_flight", "eight loads in flight per thread"}, {in_flight, 1}},
        {{"tile_per_block", "as many blocks as tiles"}, {tile_per_block, 1}},
        {{"streaming", "no room in the cache for what is read once"}, {streaming, 1}},
        {{"counted", "sum and count in one word, one launch"}, {counted, 1}},
        {{"prefetched", "the counted words come with the items"}, {prefetched, 1}},
        {{"single_block", "small n: one block, and nothing to count"}, {single_block, 1}},
        {{"tile_sizes", "1 to 8 loads per thread, by n"}, {tile_sizes, 1}},
        {{"best_serialized", "two tiles per block for very large n"}, {best_serialized, 1}},
        {{"best", "launches that overlap"}, {best, 1}},
    };
    return table;
}

std::unique_ptr<Experiment> experiment(const Options& options, const std::string& values,
                                       bool show_device) {
    const SquareSumParts parts = {stages(), host_sum,
                                  kThreads, std::max(kArticleBlocks, full_grid_blocks()),
                                  1,        library_sum<square>()};
    return std::make_unique<SquareSumExperiment>(options, parts, values, show_device);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMax = (std::size_t{1} << 31) + 3;
    std::string values = "digits";
    bool show_device = false;
    return Chapter("ch04_squaresum", "The sum of the squares of N ints", "int")
        .sizes(std::size_t{1} << 20, std::size_t{1} << 20, kMax, std::size_t{1} << 24)
        .choice("--values", "digits: 0..9, wide: -46340..46340, full: every int",
                {"digits", "wide", "full"}, values)
        .flag("--device", "print the device's properties first", show_device)
        .run(argc, argv,
             [&](const Options& options) { return experiment(options, values, show_device); });
}
