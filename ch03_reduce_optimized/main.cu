// Chapter 3: the sum of N floats, from eight items a thread to the limit of the memory.
//
// You will learn: to give each thread enough work, to let neighbours read neighbours, to leave the
// last steps to a warp without barriers, to read 16 bytes at a time with several reads in flight,
// to finish in one launch, and what keeps the fastest kernel from being faster.
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch03_reduce_optimized
//   nvcc -std=c++17 -O3 -arch=native -I. ch03_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch03
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cuda/atomic>
#include <memory>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/programmatic_launch.hpp"
#include "depth.hpp"
#include "experiment.hpp"

namespace {

using namespace tutorial;

constexpr unsigned kThreads = 512;  // per block, where chapter 2 ended
constexpr unsigned kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;

/// How many blocks it takes; one for no items at all, so that somebody writes the 0.
unsigned blocks_for(std::size_t n, std::size_t items_per_block) {
    return static_cast<unsigned>(
        std::max<std::size_t>(1, (n + items_per_block - 1) / items_per_block));
}

/// Launch after launch, each of which leaves one partial sum a block, until one block does it all.
template <class Kernel>
void in_launches(const float* d_items, std::size_t n, float* d_sum, Workspace& work,
                 std::size_t items_per_block, const Kernel& launch) {
    for (int round = 0;; ++round) {
        const unsigned blocks = blocks_for(n, items_per_block);
        float* d_partial = blocks == 1 ? d_sum : work.partial[round % 2].data();
        launch(blocks, d_items, n, d_partial);
        CUDA_CHECK_LAUNCH();
        if (blocks == 1) return;
        d_items = d_partial;
        n = blocks;
    }
}

// ---- Tree in shared memory -------------------------------------------------------------------

/// The sum of all threads' `mine`, in thread 0: half of the threads add the other half's sums,
/// until one is left. Called by every thread of a block of kThreads.
__device__ float tree_sum(float mine) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    return sums[0];
}

// sequential: where chapter 2 ended, one item a thread.
// Removes: (the starting point).
// Remains: after the first addition half of the threads are idle, and wait at every barrier.
__global__ void sequential_kernel(const float* items, std::size_t n, float* partial) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    const float sum = tree_sum(i < n ? items[i] : 0.0f);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void sequential(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    in_launches(d_items, n, d_sum, work, kThreads,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    sequential_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

// ---- Add while loading -----------------------------------------------------------------------

constexpr unsigned kItems = 8;  // per thread
constexpr unsigned kTile = kThreads * kItems;

// contiguous: each thread adds 8 neighbouring items while it loads them.
// Removes: seven of eight trees; threads that do nothing but wait for one.
// Remains: the 32 threads of a warp read 32 places 32 bytes apart: 32 sectors a request, not 4.
__global__ void contiguous_kernel(const float* items, std::size_t n, float* partial) {
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * kItems;
    float mine = 0.0f;
    for (unsigned k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k;
        if (i < n) mine += items[i];
    }
    const float sum = tree_sum(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void contiguous(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    in_launches(d_items, n, d_sum, work, kTile,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    contiguous_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

/// 8 items of this thread, a block apart, so that neighbouring threads read neighbouring items.
__device__ float strided_sum(const float* items, std::size_t n) {
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x;
    float mine = 0.0f;
    for (unsigned k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k * kThreads;
        if (i < n) mine += items[i];
    }
    return mine;
}

// coalesced: the same 8 items a thread, a block apart.
// Removes: the scattered reads; a warp's 32 items are 128 bytes in a row, 4 sectors a request.
// Remains: the tree: a barrier a level, and the last five levels are work for a single warp.
__global__ void coalesced_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = tree_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void coalesced(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    in_launches(d_items, n, d_sum, work, kTile,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    coalesced_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

// ---- The last warp by itself -----------------------------------------------------------------

/// As tree_sum(), but the levels of the last warp need no barrier of the block. They do need
/// __syncwarp(): the threads of a warp are not bound to run in step, and each level reads what
/// other lanes wrote.
__device__ float unrolled_sum(float mine) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
#pragma unroll
    for (unsigned half = kThreads / 2; half >= kWarpSize; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t < kWarpSize) {
#pragma unroll
        for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
            const float other = sums[t + half];
            __syncwarp();  // all lanes have read before any writes
            sums[t] += other;
            __syncwarp();  // all lanes have written before any reads the next level
        }
    }
    return t == 0 ? sums[0] : 0.0f;  // other warps may be here before the sum is
}

// unrolled: the last warp without barriers of the block, each level written out.
// Removes: the barriers of the last five levels, at which 15 warps wait for one.
// Remains: every level still goes through shared memory: write, wait, read.
__global__ void unrolled_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = unrolled_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void unrolled(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    in_launches(d_items, n, d_sum, work, kTile,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    unrolled_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

// ---- Warp shuffles ---------------------------------------------------------------------------

/// The sum of the warp's `mine`, in lane 0: registers go from lane to lane.
__device__ float warp_sum(float mine) {
#pragma unroll
    for (unsigned half = kWarpSize / 2; half > 0; half /= 2) {
        mine += __shfl_down_sync(kFullMask, mine, half);
    }
    return mine;
}

/// The sum of the block's `mine`, in thread 0: each warp adds by shuffles, then thread 0 adds the
/// warps' sums. Between two calls in one kernel there must be a barrier.
template <unsigned kBlock = kThreads>
__device__ float block_sum(float mine) {
    constexpr unsigned kWarps = kBlock / kWarpSize;
    __shared__ float warp_sums[kWarps];
    mine = warp_sum(mine);
    if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp's sum is there
    if (threadIdx.x == 0) {
#pragma unroll
        for (unsigned warp = 1; warp < kWarps; ++warp) mine += warp_sums[warp];
    }
    return mine;
}

// shuffle: additions from register to register.
// Removes: all but one barrier, and all but 16 words of shared memory.
// Remains: each thread asks for 4 bytes at a time: 8 requests where 2 could do.
__global__ void shuffle_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = block_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void shuffle(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    in_launches(d_items, n, d_sum, work, kTile,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    shuffle_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

// ---- 16 bytes at a time ----------------------------------------------------------------------

constexpr unsigned kWidth = 4;     // floats in a 16-byte vector
constexpr unsigned kInFlight = 4;  // vectors that a thread asks for before it uses the first
constexpr unsigned kVectorTile = kThreads * kInFlight;  // vectors

/// A 16-byte read. `kReadOnce`: these bytes need not stay in the cache, others may.
template <bool kReadOnce>
__device__ float4 load(const float4* from) {
    if constexpr (kReadOnce) return __ldcs(from);
    return *from;
}

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// The sum of vectors[first], [first + stride], ... below `end`. All reads of a round are issued
/// before the first is used, so that their latencies overlap. 32-bit numbers are enough to count
/// the vectors of this chapter's largest n eight times over, and take half the registers.
template <bool kReadOnce>
__device__ float sum_vectors(const float4* vectors, unsigned first, unsigned end, unsigned stride) {
    float mine = 0.0f;
    unsigned i = first;
    for (; i + (kInFlight - 1) * stride < end; i += kInFlight * stride) {
        float4 v[kInFlight];
#pragma unroll
        for (unsigned k = 0; k < kInFlight; ++k) v[k] = load<kReadOnce>(vectors + i + k * stride);
#pragma unroll
        for (unsigned k = 0; k < kInFlight; ++k) mine += sum_of(v[k]);
    }
    // What is left of a round: fewer vectors, but still all in flight at once.
    float4 v[kInFlight - 1];
#pragma unroll
    for (unsigned k = 0; k < kInFlight - 1; ++k) {
        const unsigned at = i + k * stride;
        v[k] = at < end ? load<kReadOnce>(vectors + at) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll
    for (unsigned k = 0; k < kInFlight - 1; ++k) mine += sum_of(v[k]);
    return mine;
}

/// The last n % 4 items, which fill no vector, one each for the first threads of block 0.
__device__ float sum_tail(const float* items, std::size_t n) {
    const std::size_t i = n / kWidth * kWidth + threadIdx.x;
    return blockIdx.x == 0 && i < n ? items[i] : 0.0f;
}

// vector: four 16-byte reads a thread, all in flight before the first is used.
// Removes: three of four requests, and most of the waiting for memory.
// Remains: a second and a third launch add the partial sums, and blocks live too short to pay.
__global__ void vector_kernel(const float* items, std::size_t n, float* partial) {
    const auto vectors = static_cast<unsigned>(n / kWidth);
    const unsigned begin = blockIdx.x * kVectorTile;
    const unsigned end = begin + kVectorTile < vectors ? begin + kVectorTile : vectors;
    const float mine = sum_vectors<false>(reinterpret_cast<const float4*>(items),
                                          begin + threadIdx.x, end, kThreads);
    const float sum = block_sum(mine + sum_tail(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void vector(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "vector");
    in_launches(d_items, n, d_sum, work, kVectorTile * kWidth,
                [](unsigned blocks, const float* d_from, std::size_t count, float* d_to) {
                    vector_kernel<<<blocks, kThreads>>>(d_from, count, d_to);
                });
}

// ---- One launch ------------------------------------------------------------------------------

// one_pass: as many blocks as the device holds; the last one to finish adds the partial sums.
// Removes: the second launch, which takes longer than the few additions that it is for.
// Remains: store, fence, ticket and reading back are three trips to the L2 cache, one after the
// other; and a block that is done early waits for nothing to do.
__global__ void one_pass_kernel(const float* items, std::size_t n, float* partial, unsigned* ticket,
                                float* sum) {
    __shared__ bool is_last;
    const auto vectors = static_cast<unsigned>(n / kWidth);
    float mine =
        sum_vectors<false>(reinterpret_cast<const float4*>(items),
                           blockIdx.x * kThreads + threadIdx.x, vectors, gridDim.x * kThreads);
    mine = block_sum(mine + sum_tail(items, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();  // release: whoever sees the ticket sees the partial sum too
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();  // acquire: the partial sums are read after the tickets
    }
    __syncthreads();  // is_last is known to all, and warp_sums is free again
    if (!is_last) return;
    // In the order of the blocks, whichever of them finished last: the same result in every run.
    mine = 0.0f;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += kThreads) mine += partial[b];
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        *sum = mine;
        *ticket = 0;  // ready for the next launch
    }
}

/// As many blocks as the device holds at once, but no more than there is work for.
unsigned one_pass_blocks(std::size_t n) {
    static const unsigned resident = [] {
        int per_sm = 0;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, one_pass_kernel,
                                                                 static_cast<int>(kThreads), 0));
        return static_cast<unsigned>(per_sm * device_info().sm_count);
    }();
    return std::min(resident, blocks_for(n, kVectorTile * kWidth));
}

void one_pass(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "one_pass");
    one_pass_kernel<<<one_pass_blocks(n), kThreads>>>(d_items, n, work.partial[0].data(),
                                                      work.ticket.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- The fastest -----------------------------------------------------------------------------

constexpr unsigned kBlockReads = 4;  // vectors a thread, of a single block
constexpr unsigned kMaxReads = 8;    // of one block among many
constexpr unsigned kLargeBlock = 2 * kThreads;
constexpr std::size_t kOneBlock = kLargeBlock * kBlockReads * kWidth;  // items, at most
constexpr unsigned kFewBlocks = 32;
constexpr unsigned kMoreBlocks = 128;
constexpr unsigned kWordsAtOnce = 4;  // that a thread asks for before it uses the first
/// Of kReads vectors a thread there are no more blocks than these, but of kMaxReads any number.
template <unsigned kReads>
constexpr unsigned kBlocksOf = kReads < kMaxReads / 2 ? kFewBlocks : kMoreBlocks;
constexpr std::size_t kMaxTiles = (1u << 17) + 1;
constexpr unsigned kBlocksPerSm = 2;  // at least: not so many registers that only one fits

/// The sum of this thread's kReads vectors of a tile, all of them asked for before the first is
/// used. What `meanwhile` does is done while they are on their way. For blocks of kBlock threads.
template <unsigned kBlock, unsigned kReads, bool kReadOnce, class Meanwhile>
__device__ float tile_sum(const float* items, std::size_t n, unsigned tile,
                          const Meanwhile& meanwhile) {
    const auto* vectors = reinterpret_cast<const float4*>(items);
    const auto count = static_cast<unsigned>(n / kWidth);
    const unsigned first = tile * (kBlock * kReads) + threadIdx.x;
    float4 v[kReads];
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) {
        const unsigned i = first + k * kBlock;
        v[k] = i < count ? load<kReadOnce>(vectors + i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    meanwhile();
    float mine = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) mine += sum_of(v[k]);
    return mine;
}

// best, for so few items that one block reads all of them at once: no grid, nothing to collect.
template <unsigned kBlock>
__global__ void __launch_bounds__(kBlock)
    best_block_kernel(const float* items, std::size_t n, float* sum) {
    grid_dependency_synchronize();
    const float mine = tile_sum<kBlock, kBlockReads, false>(items, n, 0, [] {});
    const float total = block_sum<kBlock>(mine + sum_tail(items, n));
    if (threadIdx.x == 0) *sum = total;
}

using Word = unsigned long long;

/// A block's sum, and a 1 above it: 64 bits, which are written and read at once. So whoever sees
/// the 1 sees the sum.
__device__ Word word_of(float sum) { return Word{1} << 32 | __float_as_uint(sum); }
__device__ float sum_in(Word word) { return __uint_as_float(static_cast<unsigned>(word)); }

/// The word, as it is now. Others may write it meanwhile.
__device__ Word look_at(Word* word) {
    return cuda::atomic_ref<Word, cuda::thread_scope_device>(*word).load(
        cuda::memory_order_relaxed);
}

__device__ void write(Word* word, Word value) {
    cuda::atomic_ref<Word, cuda::thread_scope_device>(*word).store(value,
                                                                   cuda::memory_order_relaxed);
}

/// Lets others run: a CPU that imitates the device needs to be told. A GPU does not, and its
/// shortest sleep is longer than the trip to the word.
__device__ void let_others_run() {
#if !defined(__CUDACC__)
    __nanosleep(0);
#endif
}

/// Reads the word and drops it: nobody waits for it, but its cache line comes.
__device__ void fetch(const volatile Word* word) { static_cast<void>(*word); }

/// The sum of every kCollectors-th word, from this thread's own on, kAtOnce of them asked for at
/// once. Waits until they are there, and clears them, so that the next launch finds zeros again.
template <unsigned kCollectors, unsigned kAtOnce>
__device__ float consume(Word* words, unsigned count) {
    float total = 0.0f;
#pragma unroll 1
    for (unsigned first = threadIdx.x; first < count; first += kAtOnce * kCollectors) {
        Word seen[kAtOnce];
        bool are_there = false;
        for (; !are_there; let_others_run()) {
            are_there = true;
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                const unsigned at = first + k * kCollectors;
                seen[k] = at < count ? look_at(words + at) : word_of(0.0f);
                are_there = are_there && seen[k] != 0;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < kAtOnce; ++k) {
            const unsigned at = first + k * kCollectors;
            total += sum_in(seen[k]);
            if (at < count) write(words + at, 0);
        }
    }
    return total;
}

/// Adds the `mine` that thread 0 of each block brings: all blocks publish theirs and leave, but
/// block 0, which collects them in order, so that the result is the same in every run.
template <unsigned kReads>
__device__ void collect(float mine, Word* words, float* sum) {
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) write(words + blockIdx.x, word_of(mine));
        return;
    }
    float total = threadIdx.x == 0 ? mine : 0.0f;
    if constexpr (kReads < kMaxReads) {
        if (threadIdx.x >= kWarpSize) return;  // one warp asks for all words, and needs no barrier
        constexpr unsigned kAtOnce = kBlocksOf<kReads> / kWarpSize;
        total = warp_sum(total + consume<kWarpSize, kAtOnce>(words + 1, gridDim.x - 1));
    } else {
        __syncthreads();  // thread 0 has read warp_sums
        total = block_sum(total + consume<kThreads, kWordsAtOnce>(words + 1, gridDim.x - 1));
    }
    if (threadIdx.x == 0) *sum = total;
}

// best: each block sums one tile, publishes the sum in one word and leaves; block 0 collects them.
// Removes: fence, ticket and reading back, since sum and flag travel together; blocks that idle,
// since the hardware hands the next tile to whichever multiprocessor has room; the wait at the end,
// since block 0 collects while the others still read; part of the time between two launches, since
// they overlap.
// Remains: the time that the memory takes to deliver the bytes, and one trip for the last word.
// Block 0 waits for blocks that may not have started. No other block waits, so they all finish in
// whatever room block 0 leaves: so it is on every GPU we know, but CUDA does not promise it.
template <unsigned kReads, bool kReadOnce>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    best_kernel(const float* items, std::size_t n, Word* words, float* sum) {
    grid_dependency_synchronize();
    const float mine = tile_sum<kThreads, kReads, kReadOnce>(items, n, blockIdx.x, [&] {
        // The line of this block's word may be in no cache: it comes while the items come.
        const bool is_short = kReads < kMaxReads;
        if (is_short && threadIdx.x == kThreads - 1) fetch(words + blockIdx.x);
    });
    collect<kReads>(block_sum(mine + sum_tail(items, n)), words, sum);
}

/// How best() cuts n items into tiles, one a block.
struct Cut {
    unsigned reads;     ///< vectors a thread
    bool beyond_cache;  ///< more bytes than the L2 cache holds
    unsigned blocks;
};

Cut best_cut(std::size_t n, const DeviceInfo& device = device_info()) {
    if (n <= kOneBlock) return {kMaxReads, false, 1};
    const auto blocks = [&](unsigned reads) {
        return blocks_for(n / kWidth, std::size_t{kThreads} * reads);
    };
    // Few items: enough blocks to spread them, and no more, since each brings a word.
    unsigned reads = 1;
    while (reads < kMaxReads / 2 && blocks(reads) > kFewBlocks) reads *= 2;
    // Many: tiles so large that two blocks keep a multiprocessor's memory busy, and so small
    // that all multiprocessors end at about the same time.
    if (blocks(reads) > kMoreBlocks) reads = kMaxReads;
    return {reads, n * sizeof(float) > device.l2_bytes, blocks(reads)};
}

/// The kernels of `best`, started by launch(kernel, blocks, threads, arguments...).
template <class Launch>
void launch_best(const float* d_items, std::size_t n, float* d_sum, Workspace& work,
                 const Launch& launch) {
    require_aligned(d_items, "best");
    if (n <= kOneBlock) {
        if (n <= kOneBlock / 2) {
            launch(best_block_kernel<kThreads>, 1u, kThreads, d_items, n, d_sum);
        } else {
            launch(best_block_kernel<kLargeBlock>, 1u, kLargeBlock, d_items, n, d_sum);
        }
        return;
    }
    const Cut cut = best_cut(n);
    auto* kernel = cut.beyond_cache ? best_kernel<kMaxReads, true> : best_kernel<kMaxReads, false>;
    if (cut.reads == 1) kernel = best_kernel<1, false>;
    if (cut.reads == 2) kernel = best_kernel<2, false>;
    if (cut.reads == 4) kernel = best_kernel<4, false>;
    launch(kernel, cut.blocks, kThreads, d_items, n, work.words.data(), d_sum);
}

void best(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    launch_best(d_items, n, d_sum, work,
                [](auto* kernel, unsigned blocks, unsigned threads, auto... arguments) {
                    launch_programmatic(kernel, blocks, threads, arguments...);
                });
}

// best_serialized: `best`, launched as usual, as the library launches its kernels: to compare hot
// times. Removes: nothing; it is there for a fair comparison. Remains: a launch begins when the one
// before it has ended.
void best_serialized(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    launch_best(d_items, n, d_sum, work,
                [](auto* kernel, unsigned blocks, unsigned threads, auto... arguments) {
                    kernel<<<blocks, threads>>>(arguments...);
                    CUDA_CHECK_LAUNCH();
                });
}

// ---- The table -------------------------------------------------------------------------------

double tree_depth(std::size_t n) { return depth_in_launches(n, kThreads, kTreeDepth); }
double tile_depth(std::size_t n) { return depth_in_launches(n, kTile, kItems - 1 + kTreeDepth); }
double shuffle_depth(std::size_t n) {
    return depth_in_launches(n, kTile, kItems - 1 + kWarpsDepth);
}
double vector_depth(std::size_t n) {
    return depth_in_launches(n, kVectorTile * kWidth, kVectorDepth + kInFlight + kWarpsDepth);
}
double one_pass_depth(std::size_t n) {
    const std::size_t threads = static_cast<std::size_t>(one_pass_blocks(n)) * kThreads;
    return depth_in_one_launch((n / kWidth + threads - 1) / threads, one_pass_blocks(n), kThreads);
}
double best_depth(std::size_t n) {
    const Cut cut = best_cut(n);
    return depth_in_one_launch(cut.reads, cut.blocks, cut.reads < kMaxReads ? kWarpSize : kThreads);
}

const std::vector<Stage<ReduceStage>>& stages() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"sequential", "one item a thread, a tree in shared memory"}, {sequential, tree_depth}},
        {{"contiguous", "8 neighbouring items a thread, added while loading"},
         {contiguous, tile_depth}},
        {{"coalesced", "8 items a thread, a block apart"}, {coalesced, tile_depth}},
        {{"unrolled", "the last warp without barriers"}, {unrolled, tile_depth}},
        {{"shuffle", "sums go from register to register"}, {shuffle, shuffle_depth}},
        {{"vector", "16-byte reads, four in flight"}, {vector, vector_depth}},
        {{"one_pass", "one launch: the last block adds the partial sums"},
         {one_pass, one_pass_depth}},
        {{"best", "a tile a block, sum and flag in one word"}, {best, best_depth}},
        {{"best_serialized", "best without launches that overlap"}, {best_serialized, best_depth}},
    };
    return table;
}

/// A table of this chapter, run and checked.
std::unique_ptr<Experiment> run_table(const Options& options,
                                      const std::vector<Stage<ReduceStage>>& table) {
    return std::make_unique<OptimizedExperiment>(options, table, blocks_for(options.n, kThreads),
                                                 kMaxTiles);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMax = (std::size_t{1} << 31) + 3;
    return Chapter("ch03_reduce_optimized", "The sum of N floats, optimised", "float")
        .sizes(std::size_t{1} << 26, std::size_t{1} << 20, kMax, std::size_t{1} << 24)
        .run(argc, argv, [](const Options& options) { return run_table(options, stages()); });
}
