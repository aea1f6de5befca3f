// Chapter 3: the sum of N floats, from one item per thread to full memory bandwidth.
//
// You will learn: to give each thread enough work, to let neighbouring threads read neighbouring
// items, to leave the last steps to a warp without barriers, to read 16 bytes at a time with
// several reads in flight, to finish in one launch, and what keeps the fastest kernel from going
// faster.
//
// Stages, made by ./tutorial docs from the table below:
//   1 sequential       one item per thread, a tree in shared memory
//   2 contiguous       8 neighbouring items per thread, added while loading
//   3 coalesced        8 items per thread, a block apart
//   4 unrolled         the last warp without barriers
//   5 shuffle          sums go from register to register
//   6 vector           the 8 items as two 16-byte reads
//   7 in_flight        four 16-byte reads before the first is used, not two
//   8 grid_stride      as many blocks as the device holds
//   9 one_pass         one launch: the last block adds the partial sums
//  10 status_word      sum and flag in one word, which block 0 collects
//  11 tile_per_block   a block per tile, started where there is room
//  12 tile_sizes       1 to 8 reads per thread, by n
//  13 one_warp         up to 128 words: one warp collects them
//  14 single_block     one block adds up to 16,384 items alone
//  15 prefetched       a few words come with the items
//  16 best_serialized  items beyond the cache are streamed
//  17 best             best_serialized by programmatic dependent launch
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch03_reduce_optimized
//   nvcc -std=c++17 -O3 -arch=native -I. ch03_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch03
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/programmatic_launch.hpp"
#include "../common/harness/resident_blocks.hpp"
#include "experiment.hpp"

namespace {

using namespace tutorial;

constexpr unsigned kThreads = 512;  // per block, where chapter 2 ended

static_assert(kThreads >= Workspace::kItemsPerBlock, "a workspace has room for every stage");

/// One of several launches: `blocks` blocks add d_from[0..n), and each leaves its sum in d_to.
struct Pass {
    const float* d_from;
    std::size_t n;
    unsigned blocks;
    float* d_to;
};

/// The launches of a stage whose blocks each leave one sum: every pass adds the sums of the
/// previous one, until a single block adds them all and writes *d_sum.
std::vector<Pass> passes(const float* d_items, std::size_t n, std::size_t items_per_block,
                         float* d_sum, Workspace& work) {
    std::vector<Pass> all;
    for (;;) {
        const unsigned blocks = blocks_for(n, items_per_block);
        float* d_to = blocks == 1 ? d_sum : work.partial[all.size() % 2].data();
        all.push_back({d_items, n, blocks, d_to});
        if (blocks == 1) return all;
        d_items = d_to;
        n = blocks;
    }
}

// ---- Tree in shared memory -------------------------------------------------------------------

/// The sum of all threads' `mine`, in thread 0: half the threads add the other half's sums,
/// until one is left. All threads must call it, in a block of kThreads.
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

// sequential: where chapter 2 ended, one item per thread.
// Removes: (the starting point).
// Remains: after the first addition half the threads are idle, and wait at every barrier.
__global__ void sequential_kernel(const float* items, std::size_t n, float* partial) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    const float sum = tree_sum(i < n ? items[i] : 0.0f);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void sequential(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    for (const Pass& pass : passes(d_items, n, kThreads, d_sum, work)) {
        sequential_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- Add while loading -----------------------------------------------------------------------

constexpr unsigned kItems = 8;  // per thread
constexpr unsigned kTile = kThreads * kItems;

// contiguous: each thread adds 8 neighbouring items while it loads them.
// Removes: seven of eight trees, and threads that only wait for one.
// Remains: the 32 threads of a warp read words 32 bytes apart: 32 sectors per request, not 4.
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
    for (const Pass& pass : passes(d_items, n, kTile, d_sum, work)) {
        contiguous_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
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

// coalesced: the same 8 items per thread, a block apart.
// Removes: the scattered reads; a warp's 32 items are 128 bytes in a row, 4 sectors per request.
// Remains: the tree: a barrier per level, and the last five levels are work for a single warp.
__global__ void coalesced_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = tree_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void coalesced(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    for (const Pass& pass : passes(d_items, n, kTile, d_sum, work)) {
        coalesced_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- The last warp by itself -----------------------------------------------------------------

/// As tree_sum(), but the levels of the last warp need no barrier of the block. They do need
/// __syncwarp(): the threads of a warp need not run in step, and each level reads what other lanes
/// wrote.
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

// unrolled: the last warp adds without block-wide barriers, each level written out.
// Removes: the barriers of the last five levels, at which 15 warps wait for one.
// Remains: every level still goes through shared memory: write, wait, read.
__global__ void unrolled_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = unrolled_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void unrolled(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    for (const Pass& pass : passes(d_items, n, kTile, d_sum, work)) {
        unrolled_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
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
// Remains: each thread asks for 4 bytes at a time: 8 requests where 2 would do.
__global__ void shuffle_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = block_sum(strided_sum(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void shuffle(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    for (const Pass& pass : passes(d_items, n, kTile, d_sum, work)) {
        shuffle_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- 16 bytes at a time ----------------------------------------------------------------------

constexpr unsigned kWidth = 4;  // floats in a 16-byte vector

__device__ const float4* as_vectors(const float* items) {
    return reinterpret_cast<const float4*>(items);
}

/// How many vectors n items fill. 32 bits are enough for eight times this chapter's largest n, and
/// take half the registers of 64.
__device__ unsigned vector_count(std::size_t n) { return static_cast<unsigned>(n / kWidth); }

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// The last n % 4 items, which fill no vector: the first threads of block 0 take one each.
__device__ float sum_tail(const float* items, std::size_t n) {
    const std::size_t i = n / kWidth * kWidth + threadIdx.x;
    return blockIdx.x == 0 && i < n ? items[i] : 0.0f;
}

/// The sum of what load_tile() has read, one vector after the other.
template <unsigned kReads>
__device__ float sum_of(const float4 (&values)[kReads]) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) sum += sum_of(values[k]);
    return sum;
}

constexpr unsigned kVectors = kItems / kWidth;  // per thread

// vector: the same 8 items per thread, read as two 16-byte vectors.
// Removes: three of four requests, with their addresses and bounds checks.
// Remains: 32 bytes in flight per thread, once in a block's life; after that the block only adds.
__global__ void vector_kernel(const float* items, std::size_t n, float* partial) {
    float4 values[kVectors];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);
    const float sum = block_sum(sum_of(values) + sum_tail(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void vector(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "vector");
    for (const Pass& pass : passes(d_items, n, kTile, d_sum, work)) {
        vector_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- More reads in flight --------------------------------------------------------------------

constexpr unsigned kInFlight = 4;  // vectors that a thread requests before it uses the first
constexpr unsigned kVectorTile = kThreads * kInFlight;  // vectors

// in_flight: four vectors per thread, all requested before the first is used.
// Removes: half the blocks, and half the waits: twice as many bytes are in flight per thread.
// Remains: blocks are short. While one starts, and while it adds, none of its bytes is in flight.
__global__ void in_flight_kernel(const float* items, std::size_t n, float* partial) {
    float4 values[kInFlight];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);
    const float sum = block_sum(sum_of(values) + sum_tail(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

void in_flight(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "in_flight");
    for (const Pass& pass : passes(d_items, n, kVectorTile * kWidth, d_sum, work)) {
        in_flight_kernel<<<pass.blocks, kThreads>>>(pass.d_from, pass.n, pass.d_to);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- A grid that fits the device -------------------------------------------------------------

/// The sum of this thread's vectors, a grid apart, four of them in flight at a time.
__device__ float grid_stride_sum(const float* items, std::size_t n) {
    const float4* vectors = as_vectors(items);
    const unsigned count = vector_count(n);
    const unsigned stride = gridDim.x * kThreads;
    float mine = 0.0f;
    for (unsigned first = blockIdx.x * kThreads + threadIdx.x; first < count;
         first += kInFlight * stride) {
        float4 values[kInFlight];
#pragma unroll
        for (unsigned k = 0; k < kInFlight; ++k) {
            const unsigned i = first + k * stride;
            values[k] = i < count ? vectors[i] : float4{};
        }
        mine += sum_of(values);
    }
    return mine;
}

// grid_stride: as many blocks as the device holds at once; each strides over the array.
// Removes: the start and end of thousands of blocks, and their partial sums: hundreds are left.
// Remains: a second launch, which takes longer than the few additions that it is for.
__global__ void grid_stride_kernel(const float* items, std::size_t n, float* partial) {
    const float sum = block_sum(grid_stride_sum(items, n) + sum_tail(items, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// As many blocks as the device holds at once, but no more than there is work for. The two stages
/// below launch the same number: their kernels need about as many registers.
unsigned grid_stride_blocks(std::size_t n) {
    static const unsigned resident = resident_blocks(grid_stride_kernel, kThreads);
    return std::min(resident, blocks_for(n, kVectorTile * kWidth));
}

void grid_stride(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "grid_stride");
    const unsigned blocks = grid_stride_blocks(n);
    float* d_partial = blocks == 1 ? d_sum : work.partial[0].data();
    grid_stride_kernel<<<blocks, kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;
    grid_stride_kernel<<<1, kThreads>>>(d_partial, blocks, d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- One launch ------------------------------------------------------------------------------

/// Adds the `mine` of thread 0 of each block. Every block writes its own and takes a ticket; the
/// block that takes the last ticket adds them all.
__device__ void last_block_sum(float mine, float* partial, unsigned* ticket, float* sum) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();  // release: a block that sees the ticket sees the partial sum
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();  // acquire: the partial sums are read after the tickets
    }
    __syncthreads();  // all threads can read is_last, and warp_sums is free again
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

// one_pass: the last block to finish adds the partial sums.
// Removes: the second launch.
// Remains: store and fence, ticket, reading back: three trips to the L2 cache in a row, after the
// last item has arrived.
__global__ void one_pass_kernel(const float* items, std::size_t n, float* partial, unsigned* ticket,
                                float* sum) {
    const float mine = block_sum(grid_stride_sum(items, n) + sum_tail(items, n));
    last_block_sum(mine, partial, ticket, sum);
}

void one_pass(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "one_pass");
    one_pass_kernel<<<grid_stride_blocks(n), kThreads>>>(d_items, n, work.partial[0].data(),
                                                         work.ticket.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Sum and flag in one word ----------------------------------------------------------------

/// A block's sum, and a 1 above it: 64 bits, which are written and read at once. A reader that sees
/// the 1 therefore also sees the sum.
__device__ StatusWord pack(float sum) { return StatusWord{1} << 32 | __float_as_uint(sum); }
__device__ float sum_in(StatusWord word) { return __uint_as_float(static_cast<unsigned>(word)); }

constexpr unsigned kWordsInFlight = 4;  // that a thread requests before it uses the first

/// The sum of every kCollectors-th word, from this thread's own on, kWords of them requested at
/// once. Waits until they have arrived, and clears them, so that the next launch finds zeros again.
template <unsigned kCollectors, unsigned kWords>
__device__ float consume(StatusWord* words, unsigned count) {
    float total = 0.0f;
#pragma unroll 1
    for (unsigned first = threadIdx.x; first < count; first += kWords * kCollectors) {
        StatusWord seen[kWords];
        bool all_arrived = false;
        for (; !all_arrived; spin_yield()) {
            all_arrived = true;
#pragma unroll
            for (unsigned k = 0; k < kWords; ++k) {
                const unsigned i = first + k * kCollectors;
                seen[k] = i < count ? load_relaxed(words + i) : pack(0.0f);
                all_arrived = all_arrived && seen[k] != 0;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < kWords; ++k) {
            const unsigned i = first + k * kCollectors;
            total += sum_in(seen[k]);
            if (i < count) store_relaxed(words + i, StatusWord{0});
        }
    }
    return total;
}

/// Adds the `mine` of thread 0 of each block. Every block publishes its own and leaves, except
/// block 0, which collects them in order, so that the result is the same in every run.
__device__ void collect(float mine, StatusWord* words, float* sum) {
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) store_relaxed(words + blockIdx.x, pack(mine));
        return;
    }
    float total = threadIdx.x == 0 ? mine : 0.0f;
    __syncthreads();  // thread 0 has read warp_sums
    total = block_sum(total + consume<kThreads, kWordsInFlight>(words + 1, gridDim.x - 1));
    if (threadIdx.x == 0) *sum = total;
}

// status_word: each block writes its sum and a flag in one word; block 0 collects them meanwhile.
// Removes: fence, ticket and reading back: the last thing to arrive is one word, in one trip.
// Remains: all blocks have the same share, but the multiprocessors are not equally fast: at the end
// some have nothing left to read while others still have work.
// Block 0 waits for blocks that may not have started. No other block waits, so they finish in the
// room that block 0 leaves. That works on every GPU we have tried, but CUDA does not promise it.
__global__ void status_word_kernel(const float* items, std::size_t n, StatusWord* words,
                                   float* sum) {
    collect(block_sum(grid_stride_sum(items, n) + sum_tail(items, n)), words, sum);
}

void status_word(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "status_word");
    status_word_kernel<<<grid_stride_blocks(n), kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- A tile per block ------------------------------------------------------------------------

// tile_per_block: a block for each tile of four vectors per thread, as in in_flight.
// Removes: the wait for the slowest multiprocessor: each takes the next block when it has room.
// Remains: one size of tile: for small n most multiprocessors get none, and for large n there are
// more words than needed.
__global__ void tile_per_block_kernel(const float* items, std::size_t n, StatusWord* words,
                                      float* sum) {
    float4 values[kInFlight];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);
    collect(block_sum(sum_of(values) + sum_tail(items, n)), words, sum);
}

void tile_per_block(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "tile_per_block");
    const unsigned blocks = blocks_for(n, kVectorTile * kWidth);
    tile_per_block_kernel<<<blocks, kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Tiles that fit n ------------------------------------------------------------------------

constexpr unsigned kBlocksPerSm = 2;  // at least: so that registers leave room for two

/// How n items are cut into tiles, one per block.
struct Tiling {
    unsigned reads;  ///< vectors per thread: 1, 2, 4 or kMaxReads
    unsigned blocks;
};

/// Up to 2^20 items: the fewest vectors per thread that make no more than 32 blocks, or 4. Thus
/// many multiprocessors share the work; with more blocks the words would cost more time than is
/// saved. More items: kMaxReads, with which two blocks keep a multiprocessor's share of the memory
/// busy.
Tiling tiling_for(std::size_t n) {
    const unsigned reads = reads_per_thread(n / kWidth, kThreads);
    return {reads, blocks_for(n / kWidth, std::size_t{kThreads} * reads)};
}

// tile_sizes: one to eight vectors per thread, so that n items make neither too few tiles nor too
// many.
// Removes: for small n, multiprocessors without work; for large n, half the words.
// Remains: for small n, 16 warps of block 0 collect a few words, and add them with a barrier.
template <unsigned kReads, bool kStreaming>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    tile_sizes_kernel(const float* items, std::size_t n, StatusWord* words, float* sum) {
    grid_dependency_synchronize();  // for `best`; launched by <<<...>>>, it returns at once
    float4 values[kReads];
    load_tile<kThreads, kStreaming>(as_vectors(items), vector_count(n), blockIdx.x, values);
    collect(block_sum(sum_of(values) + sum_tail(items, n)), words, sum);
}

void tile_sizes(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "tile_sizes");
    const Tiling tiling = tiling_for(n);
    auto* kernel = tile_sizes_kernel<kMaxReads, false>;
    if (tiling.reads == 1) kernel = tile_sizes_kernel<1, false>;
    if (tiling.reads == 2) kernel = tile_sizes_kernel<2, false>;
    if (tiling.reads == 4) kernel = tile_sizes_kernel<4, false>;
    kernel<<<tiling.blocks, kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Few words -------------------------------------------------------------------------------

/// Whether tiles of kMaxReads vectors are too large for n items: at most 128 blocks, and so 128
/// words.
bool has_few_words(std::size_t n) { return tiling_for(n).reads < kMaxReads; }

/// As collect(), for tiles of kReads < kMaxReads vectors per thread: one warp requests all words at
/// once, and needs no barrier to add them.
template <unsigned kReads>
__device__ void collect_by_warp(float mine, StatusWord* words, float* sum) {
    if (blockIdx.x != 0) {
        if (threadIdx.x == 0) store_relaxed(words + blockIdx.x, pack(mine));
        return;
    }
    if (threadIdx.x >= kWarpSize) return;
    // reads_per_thread() makes at most 32 blocks of 1 or 2 vectors per thread, or 128 of 4.
    constexpr unsigned kWords = kReads < kMaxReads / 2 ? 1 : 4;
    float total = threadIdx.x == 0 ? mine : 0.0f;
    total = warp_sum(total + consume<kWarpSize, kWords>(words + 1, gridDim.x - 1));
    if (threadIdx.x == 0) *sum = total;
}

// one_warp: one warp collects a few words; the whole block collects many, as in tile_sizes.
// Removes: for up to 2^20 items, the barriers between block 0's own sum and the result.
// Remains: the few items that one block could add alone still make several tiles, each with a word.
template <unsigned kReads>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    one_warp_kernel(const float* items, std::size_t n, StatusWord* words, float* sum) {
    float4 values[kReads];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);
    collect_by_warp<kReads>(block_sum(sum_of(values) + sum_tail(items, n)), words, sum);
}

void one_warp(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "one_warp");
    if (!has_few_words(n)) return tile_sizes(d_items, n, d_sum, work);
    const Tiling tiling = tiling_for(n);
    auto* kernel = one_warp_kernel<4>;
    if (tiling.reads == 1) kernel = one_warp_kernel<1>;
    if (tiling.reads == 2) kernel = one_warp_kernel<2>;
    kernel<<<tiling.blocks, kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Few items -------------------------------------------------------------------------------

constexpr unsigned kLargeBlock = 2 * kThreads;
constexpr unsigned kSingleBlockReads = 4;  // vectors per thread of a single block
constexpr std::size_t kSingleBlockItems = kLargeBlock * kSingleBlockReads * kWidth;  // at most

// single_block: a single block adds as many items as it can request at once; more are cut as in
// one_warp.
// Removes: for small n, the trip of the last block's word to block 0.
// Remains: the line of a word may be in no cache when the word is written.
template <unsigned kBlock>
__global__ void __launch_bounds__(kBlock)
    single_block_kernel(const float* items, std::size_t n, float* sum) {
    grid_dependency_synchronize();  // for `best`; launched by <<<...>>>, it returns at once
    float4 values[kSingleBlockReads];
    load_tile<kBlock, false>(as_vectors(items), vector_count(n), 0, values);
    const float total = block_sum<kBlock>(sum_of(values) + sum_tail(items, n));
    if (threadIdx.x == 0) *sum = total;
}

unsigned single_block_threads(std::size_t n) {
    return n <= kSingleBlockItems / 2 ? kThreads : kLargeBlock;
}

auto* single_block_kernel_for(std::size_t n) {
    return single_block_threads(n) == kThreads ? single_block_kernel<kThreads>
                                               : single_block_kernel<kLargeBlock>;
}

void single_block(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "single_block");
    if (n > kSingleBlockItems) return one_warp(d_items, n, d_sum, work);
    auto* kernel = single_block_kernel_for(n);
    kernel<<<1, single_block_threads(n)>>>(d_items, n, d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Hints to the caches ---------------------------------------------------------------------

// prefetched: a block reads its word right after it has requested its items, and drops the value.
// With many blocks, one of the others has nearly always fetched that line already, so this is done
// only if there are not many words.
// Removes: the wait for a line that was in no cache: it arrives together with the items.
// Remains: items that nothing will read again stay in the cache and displace others.
template <unsigned kReads>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    prefetched_kernel(const float* items, std::size_t n, StatusWord* words, float* sum) {
    grid_dependency_synchronize();  // for `best`
    float4 values[kReads];
    load_tile<kThreads, false>(as_vectors(items), vector_count(n), blockIdx.x, values);
    if (threadIdx.x == kThreads - 1) prefetch(words + blockIdx.x);
    collect_by_warp<kReads>(block_sum(sum_of(values) + sum_tail(items, n)), words, sum);
}

auto* prefetched_kernel_for(unsigned reads) {
    if (reads == 1) return prefetched_kernel<1>;
    return reads == 2 ? prefetched_kernel<2> : prefetched_kernel<4>;
}

void prefetched(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "prefetched");
    if (n <= kSingleBlockItems || !has_few_words(n)) return single_block(d_items, n, d_sum, work);
    const Tiling tiling = tiling_for(n);
    auto* kernel = prefetched_kernel_for(tiling.reads);
    kernel<<<tiling.blocks, kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

/// The fastest kernel for more than kSingleBlockItems items.
auto* best_kernel_for(std::size_t n) {
    if (has_few_words(n)) return prefetched_kernel_for(tiling_for(n).reads);
    return beyond_cache(n * sizeof(float)) ? tile_sizes_kernel<kMaxReads, true>
                                           : tile_sizes_kernel<kMaxReads, false>;
}

// best_serialized: items that do not fit into the L2 cache are streamed: their lines may leave it
// first.
// Removes: cached lines that nothing will read.
// Remains: a launch begins when the one before it has ended, as a library's launches do.
void best_serialized(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "best_serialized");
    if (n <= kSingleBlockItems) return single_block(d_items, n, d_sum, work);
    auto* kernel = best_kernel_for(n);
    kernel<<<tiling_for(n).blocks, kThreads>>>(d_items, n, work.words.data(), d_sum);
    CUDA_CHECK_LAUNCH();
}

// ---- Launches that overlap -------------------------------------------------------------------

// best: the same kernels by programmatic dependent launch: the device starts a launch's blocks
// while the launch before it ends; they wait at grid_dependency_synchronize().
// Removes: part of the time between two launches in a row.
// Remains: the time that the memory takes to deliver the bytes, and one trip for the last word.
void best(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    require_aligned(d_items, "best");
    if (n <= kSingleBlockItems) {
        launch_programmatic(single_block_kernel_for(n), 1, single_block_threads(n), d_items, n,
                            d_sum);
    } else {
        launch_programmatic(best_kernel_for(n), tiling_for(n).blocks, kThreads, d_items, n,
                            work.words.data(), d_sum);
    }
}

// ---- The table -------------------------------------------------------------------------------

double tree_depth(std::size_t n) { return depth_in_launches(n, kThreads, kTreeDepth); }
double tile_depth(std::size_t n) { return depth_in_launches(n, kTile, kItems - 1 + kTreeDepth); }
double shuffle_depth(std::size_t n) {
    return depth_in_launches(n, kTile, kItems - 1 + kWarpsDepth);
}
double vector_depth(std::size_t n) {
    return depth_in_launches(n, kTile, kVectorDepth + kVectors + kWarpsDepth);
}
double in_flight_depth(std::size_t n) {
    return depth_in_launches(n, kVectorTile * kWidth, kVectorDepth + kInFlight + kWarpsDepth);
}
/// A thread of a resident grid adds four vectors per round, and then the rounds' sums.
double resident_depth(std::size_t n) {
    const std::size_t blocks = grid_stride_blocks(n);
    const std::size_t rounds = divide_up<std::size_t>(n / kWidth, blocks * kVectorTile);
    return depth_in_one_launch(kInFlight + rounds, blocks, kThreads);
}
/// The second launch's only block adds the sums as vectors.
double grid_stride_depth(std::size_t n) { return resident_depth(n) + kVectorDepth + kInFlight; }
double tile_per_block_depth(std::size_t n) {
    return depth_in_one_launch(kInFlight, blocks_for(n, kVectorTile * kWidth), kThreads);
}
double tile_sizes_depth(std::size_t n) {
    const Tiling tiling = tiling_for(n);
    return depth_in_one_launch(tiling.reads, tiling.blocks, kThreads);
}
double one_warp_depth(std::size_t n) {
    const Tiling tiling = tiling_for(n);
    return depth_in_one_launch(tiling.reads, tiling.blocks,
                               has_few_words(n) ? kWarpSize : kThreads);
}
double best_depth(std::size_t n) {
    constexpr double kMoreWarps = (kLargeBlock - kThreads) / kWarpSize;
    if (n > kSingleBlockItems) return one_warp_depth(n);
    return kVectorDepth + kSingleBlockReads + kWarpsDepth + kMoreWarps;
}

const std::vector<Stage<ReduceStage>>& stages() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"sequential", "one item per thread, a tree in shared memory"}, {sequential, tree_depth}},
        {{"contiguous", "8 neighbouring items per thread, added while loading"},
         {contiguous, tile_depth}},
        {{"coalesced", "8 items per thread, a block apart"}, {coalesced, tile_depth}},
        {{"unrolled", "the last warp without barriers"}, {unrolled, tile_depth}},
        {{"shuffle", "sums go from register to register"}, {shuffle, shuffle_depth}},
        {{"vector", "the 8 items as two 16-byte reads"}, {vector, vector_depth}},
        {{"in_flight", "four 16-byte reads before the first is used, not two"},
         {in_flight, in_flight_depth}},
        {{"grid_stride", "as many blocks as the device holds"}, {grid_stride, grid_stride_depth}},
        {{"one_pass", "one launch: the last block adds the partial sums"},
         {one_pass, resident_depth}},
        {{"status_word", "sum and flag in one word, which block 0 collects"},
         {status_word, resident_depth}},
        {{"tile_per_block", "a block per tile, started where there is room"},
         {tile_per_block, tile_per_block_depth}},
        {{"tile_sizes", "1 to 8 reads per thread, by n"}, {tile_sizes, tile_sizes_depth}},
        {{"one_warp", "up to 128 words: one warp collects them"}, {one_warp, one_warp_depth}},
        {{"single_block", "one block adds up to 16,384 items alone"}, {single_block, best_depth}},
        {{"prefetched", "a few words come with the items"}, {prefetched, best_depth}},
        {{"best_serialized", "items beyond the cache are streamed"}, {best_serialized, best_depth}},
        {{"best", "best_serialized by programmatic dependent launch"}, {best, best_depth}},
    };
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMax = (std::size_t{1} << 31) + 3;
    return Chapter("ch03_reduce_optimized", "The sum of N floats, optimised", "float")
        .sizes(std::size_t{1} << 26, std::size_t{1} << 20, kMax, std::size_t{1} << 24)
        .run(argc, argv, [](const Options& options) {
            return std::make_unique<OptimizedExperiment>(options, stages());
        });
}
