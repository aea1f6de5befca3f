// Chapter 4: the sum of the squares of N ints, exact in 64 bits, from one thread to the device.
//
// You will learn: to spread work over threads, over neighbouring addresses and over blocks; to read
// the device's own clocks, and which of them can be compared; to tell when the memory is the limit;
// and what integers allow that floats do not: any order of adding gives the same sum.
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch04_squaresum
//   nvcc -std=c++17 -O3 -arch=native -I. ch04_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch04
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cuda/atomic>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_clock.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/programmatic_launch.hpp"
#include "experiment.hpp"
#include "library.cuh"

namespace {

using namespace tutorial;

/// Exact for every int: the largest square, of INT_MIN, is 2^62.
__host__ __device__ Sum square(int item) {
    const long long wide = item;
    return static_cast<Sum>(wide * wide);
}

/// The sum on the host. Throws UsageError where 64 bits do not hold it.
Sum host_sum(const std::vector<int>& items) {
    Sum sum = 0;
    for (const int item : items) {
        sum += square(item);
        // Unsigned numbers wrap around, and have then become smaller.
        if (sum < square(item)) {
            throw UsageError(
                "the squares of this input add up to 2^64 or more, which 64 bits do "
                "not hold: use smaller --values or a smaller --n");
        }
    }
    return sum;
}

// ---- One block -------------------------------------------------------------------------------
// Up to `tree` the kernels are the article's: each leaves sums that the host adds. `times`: see
// device_clock.hpp.

constexpr unsigned kThreads = 512;

// one_thread: the host's loop, moved to the device.
// Removes: (the starting point).
// Remains: one of many thousand threads works, and waits for most of its reads.
__global__ void one_thread_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    Sum sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += square(items[i]);
    sums[0] = sum;
    stop_block_clock(times);
}

void one_thread(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    one_thread_kernel<<<1, 1>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// chunked: 512 threads, each its own contiguous piece.
// Removes: most of the waiting: while one warp waits, another reads.
// Remains: a warp's 32 threads read 32 far-apart places at a time: 32 sectors of 32 bytes for 128
// bytes of use.
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

void chunked(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
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

void interleaved(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    interleaved_kernel<<<1, kThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// ---- Several blocks --------------------------------------------------------------------------

constexpr unsigned kFewBlocks = 8;
constexpr unsigned kFewThreads = 64;                 // a block
constexpr unsigned kAll = kFewBlocks * kFewThreads;  // 512 threads, as before

/// The sum of this thread's items: it is one of `threads` in the whole grid, which take turns.
__device__ Sum interleaved_sum(const int* items, std::size_t n, std::size_t threads) {
    Sum sum = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        sum += square(items[i]);
    }
    return sum;
}

// blocks: the same 512 threads as 8 blocks of 64.
// Removes: one multiprocessor's limits; but these were not what limits, neither on the article's
// small GPU, whose memory was busy already, nor on a large one.
// Remains: the same threads have the same few reads in flight, and wait for them.
__global__ void blocks_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    sums[blockIdx.x * kFewThreads + threadIdx.x] = interleaved_sum(items, n, kAll);
    stop_block_clock(times);
}

void blocks(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    blocks_kernel<<<kFewBlocks, kFewThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// thread0: each block's first thread adds the block's sums.
// Removes: work of the host: 8 sums to copy and add, not 512.
// Remains: 63 threads wait while one adds.
__global__ void thread0_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    __shared__ Sum block_sums[kFewThreads];
    start_block_clock(times);
    block_sums[threadIdx.x] = interleaved_sum(items, n, kAll);
    __syncthreads();  // every thread's sum is there
    if (threadIdx.x == 0) {
        Sum sum = 0;
        for (unsigned t = 0; t < kFewThreads; ++t) sum += block_sums[t];
        sums[blockIdx.x] = sum;
    }
    stop_block_clock(times);
}

void thread0(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    thread0_kernel<<<kFewBlocks, kFewThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

/// The sum of all threads' `mine`, in thread 0, by a tree in shared memory.
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

// tree: half of the threads add the other half's sums, then a quarter, and so on.
// Removes: 63 additions in a row; 6 steps are left.
// Remains: 8 blocks.
__global__ void tree_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const Sum sum = tree_sum<kFewThreads>(interleaved_sum(items, n, kAll));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    stop_block_clock(times);
}

void tree(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    tree_kernel<<<kFewBlocks, kFewThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// full_grid: as many blocks as the device holds, each of which adds its sum to the one result.
// Removes: idle multiprocessors, and the host's share. That atomic additions come in any order does
// not matter: integers give the same sum in every order.
// Remains: 4-byte reads, few in flight; a launch that only clears the result.
__global__ void full_grid_kernel(const int* items, std::size_t n, Sum* sums, BlockTime* times) {
    start_block_clock(times);
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    const Sum sum = tree_sum<kThreads>(interleaved_sum(items, n, threads));
    if (threadIdx.x == 0) atomicAdd(sums, sum);
    stop_block_clock(times);
}

/// As many blocks as the device holds at once.
unsigned resident_blocks() {
    static const unsigned resident = [] {
        int per_sm = 0;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, full_grid_kernel,
                                                                 static_cast<int>(kThreads), 0));
        return static_cast<unsigned>(per_sm * device_info().sm_count);
    }();
    return resident;
}

void full_grid(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times, void*) {
    CUDA_CHECK(cudaMemsetAsync(d_sums, 0, sizeof(Sum)));
    full_grid_kernel<<<resident_blocks(), kThreads>>>(d_items, n, d_sums, d_times);
    CUDA_CHECK_LAUNCH();
}

// ---- The fastest -----------------------------------------------------------------------------

constexpr unsigned kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr unsigned kWidth = 4;       // ints in a 16-byte vector
constexpr unsigned kBlockReads = 4;  // vectors a thread, of a single block
constexpr unsigned kMaxReads = 8;    // of one block among many
constexpr unsigned kLargeBlock = 2 * kThreads;
constexpr std::size_t kOneBlock = kLargeBlock * kBlockReads * kWidth;  // items, at most
constexpr unsigned kEnoughBlocks = 32;
constexpr unsigned kManyBlocks = 128;
constexpr unsigned kManyTiles = 1u << 12;  // from there on a block takes two
constexpr unsigned kMaxBlocks = 1u << 15;
constexpr unsigned kBlocksPerSm = 2;  // at least: not so many registers that only one fits

/// A 16-byte read. `kReadOnce`: these bytes need not stay in the cache, others may.
template <bool kReadOnce>
__device__ int4 load(const int4* from) {
    if constexpr (kReadOnce) return __ldcs(from);
    return *from;
}

__device__ Sum squares_of(int4 v) {
    return (square(v.x) + square(v.y)) + (square(v.z) + square(v.w));
}

/// The squares of this thread's kReads vectors of a tile, all of them asked for before the first is
/// used. What `meanwhile` does is done while they are on their way. For blocks of kBlock threads.
template <unsigned kBlock, unsigned kReads, bool kReadOnce, class Meanwhile>
__device__ Sum tile_sum(const int* items, std::size_t n, unsigned tile,
                        const Meanwhile& meanwhile) {
    const auto* vectors = reinterpret_cast<const int4*>(items);
    const auto count = static_cast<unsigned>(n / kWidth);
    const unsigned first = tile * (kBlock * kReads) + threadIdx.x;
    int4 v[kReads];
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) {
        const unsigned i = first + k * kBlock;
        v[k] = i < count ? load<kReadOnce>(vectors + i) : make_int4(0, 0, 0, 0);
    }
    meanwhile();
    Sum mine = 0;
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) mine += squares_of(v[k]);
    return mine;
}

/// The squares of the last n % 4 items, which fill no vector, one each for threads of block 0.
__device__ Sum sum_tail(const int* items, std::size_t n) {
    const std::size_t i = n / kWidth * kWidth + threadIdx.x;
    return blockIdx.x == 0 && i < n ? square(items[i]) : 0;
}

/// The sum of the block's `mine`, in thread 0: warps add by shuffles, thread 0 adds the warps'.
template <unsigned kBlock = kThreads>
__device__ Sum block_sum(Sum mine) {
    constexpr unsigned kWarps = kBlock / kWarpSize;
    __shared__ Sum warp_sums[kWarps];
#pragma unroll
    for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp's sum is there
    if (threadIdx.x == 0) {
#pragma unroll
        for (unsigned warp = 1; warp < kWarps; ++warp) mine += warp_sums[warp];
    }
    return mine;
}

/// Where the blocks meet: the low halves of their sums, and the high halves, each with a count of
/// the blocks in the top 16 bits: at most 2^15 blocks, so that 2^15 halves of 32 bits fit below.
/// Both are 0 between launches.
struct Meeting {
    Sum low;
    unsigned char other_line[128 - sizeof(Sum)];  // so that the two do not share a cache line
    Sum high;
};
constexpr unsigned kCountShift = 48;

/// Reads both words and drops them: nobody waits for them, but their cache lines come.
__device__ void fetch(const volatile Meeting* meeting) {
    static_cast<void>(meeting->low);
    static_cast<void>(meeting->high);
}

/// The word, as it is now. Others may add to it meanwhile.
__device__ Sum look_at(Sum* word) {
    return cuda::atomic_ref<Sum, cuda::thread_scope_device>(*word).load(cuda::memory_order_relaxed);
}

/// Waits until `count` blocks have added to both words; clears them, and returns the sum. It asks
/// for both at once, so that it waits for one trip to the memory and not for two. Between two polls
/// the thread sleeps as shortly as it can, since every poll is in the way of those who add.
__device__ Sum wait_for_all(Meeting* meeting, unsigned count) {
    Sum low = look_at(&meeting->low);
    Sum high = look_at(&meeting->high);
    while (low >> kCountShift != count || high >> kCountShift != count) {
        __nanosleep(0);
        low = look_at(&meeting->low);
        high = look_at(&meeting->high);
    }
    atomicExch(&meeting->low, Sum{0});
    atomicExch(&meeting->high, Sum{0});
    constexpr Sum kBelowCount = (Sum{1} << kCountShift) - 1;
    return (low & kBelowCount) + ((high & kBelowCount) << 32);
}

// best, for so few items that one block reads all of them at once: no grid, nothing to collect.
template <unsigned kBlock>
__global__ void __launch_bounds__(kBlock)
    best_block_kernel(const int* items, std::size_t n, Sum* sums) {
    grid_dependency_synchronize();
    const Sum mine = tile_sum<kBlock, kBlockReads, false>(items, n, 0, [] {});
    const Sum total = block_sum<kBlock>(mine + sum_tail(items, n));
    if (threadIdx.x == 0) *sums = total;
}

// best: each block sums a tile, of very many a few, with 16-byte reads, adds to two counted words
// and leaves; block 0 waits until all have been counted.
// Removes: the clearing launch; reads of 4 bytes; idle blocks, since the hardware hands the next
// tile to whichever multiprocessor has room.
// Remains: the time that the memory takes to deliver the bytes, and one trip for the last block.
// Block 0 waits for blocks that may not have started. No other block waits, so they all finish in
// whatever room block 0 leaves: so it is on every GPU we know, but CUDA does not promise it.
template <unsigned kReads, bool kReadOnce>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    best_kernel(const int* items, std::size_t n, unsigned tiles, Meeting* meeting, Sum* sums) {
    grid_dependency_synchronize();
    // The words' lines may be in no cache: they come while the items come.
    const auto meanwhile = [&] {
        const bool is_short = kReads < kMaxReads;
        if (is_short && threadIdx.x == kThreads - 1) fetch(meeting);
    };
    Sum mine = sum_tail(items, n);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        mine += tile_sum<kThreads, kReads, kReadOnce>(items, n, tile, meanwhile);
    }
    mine = block_sum(mine);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *sums = mine + wait_for_all(meeting, gridDim.x - 1);
    } else {
        constexpr Sum kCountOne = Sum{1} << kCountShift;
        atomicAdd(&meeting->low, kCountOne | (mine & 0xffffffffu));
        atomicAdd(&meeting->high, kCountOne | (mine >> 32));
    }
}

/// How best() cuts n items into tiles, one a block, or a few.
struct Cut {
    unsigned reads;     ///< vectors a thread and tile
    bool beyond_cache;  ///< more bytes than the L2 cache holds
    unsigned tiles;
    unsigned blocks;
};

Cut best_cut(std::size_t n, const DeviceInfo& device = device_info()) {
    if (n <= kOneBlock) return {kMaxReads, false, 1, 1};
    const auto tiles = [&](unsigned reads) {
        const std::size_t tile = std::size_t{kThreads} * reads;
        return static_cast<unsigned>((n / kWidth + tile - 1) / tile);
    };
    // Few items: enough blocks to spread them, and no more, since each brings a sum.
    unsigned reads = 1;
    while (reads < kMaxReads / 2 && tiles(reads) > kEnoughBlocks) reads *= 2;
    // Many: tiles so large that two blocks keep a multiprocessor's memory busy, and so small
    // that all multiprocessors end at about the same time.
    if (tiles(reads) > kManyBlocks) reads = kMaxReads;
    // Very many: two tiles a block, since the L2 cache adds the blocks' sums to a word one by one,
    // and they come faster than it adds. In the end no more blocks than Meeting counts.
    unsigned blocks = tiles(reads);
    if (blocks >= kManyTiles) blocks = (blocks + 1) / 2;
    return {reads, n * sizeof(int) > device.l2_bytes, tiles(reads), std::min(blocks, kMaxBlocks)};
}

/// The kernels of `best`, started by launch(kernel, blocks, threads, arguments...). Not timed by
/// the device's clocks: the fastest kernel holds nothing that it does not need.
template <class Launch>
void launch_best(const int* d_items, std::size_t n, Sum* d_sums, void* d_scratch,
                 const Launch& launch) {
    require_aligned(d_items, "best");
    if (n <= kOneBlock / 2) {
        launch(best_block_kernel<kThreads>, 1u, kThreads, d_items, n, d_sums);
        return;
    }
    if (n <= kOneBlock) {
        launch(best_block_kernel<kLargeBlock>, 1u, kLargeBlock, d_items, n, d_sums);
        return;
    }
    const Cut cut = best_cut(n);
    auto* kernel = cut.beyond_cache ? best_kernel<kMaxReads, true> : best_kernel<kMaxReads, false>;
    if (cut.reads == 1) kernel = best_kernel<1, false>;
    if (cut.reads == 2) kernel = best_kernel<2, false>;
    if (cut.reads == 4) kernel = best_kernel<4, false>;
    launch(kernel, cut.blocks, kThreads, d_items, n, cut.tiles, static_cast<Meeting*>(d_scratch),
           d_sums);
}

void best(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_best(d_items, n, d_sums, d_scratch,
                [](auto* kernel, unsigned blocks, unsigned threads, auto... arguments) {
                    launch_programmatic(kernel, blocks, threads, arguments...);
                });
}

// best_serialized: `best`, launched as usual, as the library launches its kernels: to compare hot
// times. Removes: nothing; it is there for a fair comparison. Remains: a launch begins when the one
// before it has ended.
void best_serialized(const int* d_items, std::size_t n, Sum* d_sums, BlockTime*, void* d_scratch) {
    launch_best(d_items, n, d_sums, d_scratch,
                [](auto* kernel, unsigned blocks, unsigned threads, auto... arguments) {
                    kernel<<<blocks, threads>>>(arguments...);
                    CUDA_CHECK_LAUNCH();
                });
}

// ---- The table -------------------------------------------------------------------------------

unsigned no_block() { return 0; }
unsigned one_block() { return 1; }
unsigned few_blocks() { return kFewBlocks; }

const std::vector<Stage<ReduceStage>>& stages() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"one_thread",
          "the host's loop on the device",
          RowKind::stage,
          {std::size_t{1} << 28, "one thread would take more than seconds"}},
         {one_thread, 1, one_block}},
        {{"chunked", "512 threads, each its own piece"}, {chunked, kThreads, one_block}},
        {{"interleaved", "neighbours read neighbours"}, {interleaved, kThreads, one_block}},
        {{"blocks", "8 blocks of 64 threads"}, {blocks, kThreads, few_blocks}},
        {{"thread0", "thread 0 adds its block's sums"}, {thread0, kFewBlocks, few_blocks}},
        {{"tree", "the block's threads add in a tree"}, {tree, kFewBlocks, few_blocks}},
        {{"full_grid", "as many blocks as the device holds"}, {full_grid, 1, resident_blocks}},
        {{"best", "16-byte reads, a tile a block, counted words"}, {best, 1, no_block}},
        {{"best_serialized", "best without launches that overlap"}, {best_serialized, 1, no_block}},
    };
    return table;
}

std::unique_ptr<Experiment> experiment(const Options& options, const std::string& values,
                                       bool show_device) {
    const SquareSumParts parts = {stages(),        host_sum,
                                  kThreads,        std::max(kFewBlocks, resident_blocks()),
                                  sizeof(Meeting), cub_sum<square>};
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
