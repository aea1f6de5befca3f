// Chapter 1: odd-even transposition sort ("bubble sort") of n int or float keys, from one block in
// global memory to a whole GPU that sorts in registers. Even half-steps compare and exchange the
// pairs (0 1)(2 3)(4 5)..., odd ones the pairs (1 2)(3 4)(5 6)...; n half-steps sort any n keys.
//
// You will learn: global, shared and register memory, barriers, coalescing, warp shuffles, halos,
// blocks that exchange data while they run, and how to count what a GPU can do at best.
//
// Stages, made by ./tutorial docs from the table below:
//   1 global      one block, keys in global memory
//   2 shared      one block, keys in shared memory
//   3 grid        many blocks, a launch per half-step
//   4 tiles       a block sorts a segment in shared memory; segments alternate
//   5 coalesced   neighbouring threads load neighbouring keys
//   6 shuffle     one key per thread in a register, warp shuffles
//   7 registers   16 keys per thread in registers
//   8 overlap     neighbouring warps overlap: few barriers
//   9 unrolled    64 half-steps without a branch
//  10 two_pipes   a third of the work on the pipe that multiplies
//  11 halo        neighbouring blocks overlap: nothing is sorted twice
//  12 persistent  one launch: blocks keep their keys and exchange halos
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch01_bubble
//   nvcc -std=c++17 -O3 -arch=native -I. ch01_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch01
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cooperative_launch.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/device_info.hpp"
#include "../common/harness/key_order.hpp"
#include "experiment.hpp"
#include "library.cuh"

namespace {

using namespace tutorial;

/// Whether key a belongs before key b. The version for floats comes after `global`.
template <class Key>
__host__ __device__ bool comes_before(Key a, Key b) {
    return a < b;
}

/// This chapter's only operation: afterwards `high` does not belong before `low`.
template <class Key>
__host__ __device__ void compare_exchange(Key& low, Key& high) {
    const Key first = low, second = high;
    if (comes_before(second, first)) {
        low = second;
        high = first;
    }
}

// ---- The host's versions ---------------------------------------------------------------------
// Every stage sorts `n` keys in place.

/// The classic bubble sort: each pass moves the largest remaining key to the end.
template <class Key>
void bubble_host(Key* keys, unsigned n) {
    for (unsigned end = n; end > 1; --end) {
        for (unsigned i = 0; i + 1 < end; ++i) compare_exchange(keys[i], keys[i + 1]);
    }
}

/// The odd-even sort: the same comparisons, ordered so that those of a half-step are independent.
template <class Key>
void odd_even_host(Key* keys, unsigned n) {
    for (unsigned step = 0; step < n; ++step) {
        for (unsigned i = step % 2; i + 1 < n; i += 2) compare_exchange(keys[i], keys[i + 1]);
    }
}

// ---- One block -------------------------------------------------------------------------------
constexpr unsigned kMaxThreads = 1024;  // of a block, on every GPU
constexpr std::size_t kGlobalMaxKeys = std::size_t{1} << 16;
// global: the threads of one block share the pairs of a half-step.
// Removes: the loop over the pairs, all of which are independent.
// Remains: every comparison reads and writes global memory; one multiprocessor does all the work.
template <class Key>
__global__ void global_kernel(Key* keys, unsigned n) {
    for (unsigned step = 0; step < n; ++step) {
        for (unsigned i = 2 * threadIdx.x + step % 2; i + 1 < n; i += 2 * blockDim.x) {
            compare_exchange(keys[i], keys[i + 1]);
        }
        __syncthreads();  // between half-steps: the next one's pairs straddle these
    }
}

template <class Key>
void global(Key* keys, unsigned n) {
    if (n < 2) return;
    global_kernel<<<1, std::min(n / 2, kMaxThreads)>>>(keys, n);
    CUDA_CHECK_LAUNCH();
}

/// `<` does not order all floats: NaN compares false with everything, and -0 equals +0. Therefore
/// ordered_int() maps each key to an int of its own, with -0 before +0 and NaN last. (fminf and
/// fmaxf would lose keys: given a number and a NaN, both return the number.) It leaves ints alone.
/// From `shared` on, except in `grid`, keys are mapped when loaded, and back when stored.
template <>
__host__ __device__ bool comes_before(float a, float b) {
    return ordered_int(a) < ordered_int(b);
}

/// Sorts `count` ints in shared memory; thread t compares the t-th pair of each half-step. All
/// threads of the block must call it, after a barrier; it ends with one.
__device__ inline void sort_shared(int* tile, unsigned count) {
    for (unsigned step = 0; step < count; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < count) compare_exchange(tile[i], tile[i + 1]);
        __syncthreads();  // between half-steps, as above; after the last: before the keys are read
    }
}

constexpr unsigned kSharedMaxKeys = 2 * kMaxThreads + 1;
// shared: the keys are copied to shared memory, sorted there, and copied back.
// Removes: reads and writes of global memory in every half-step.
// Remains: one multiprocessor, a barrier per half-step, and at most two keys per thread.
template <class Key>
__global__ void shared_kernel(Key* keys, unsigned n) {
    __shared__ int tile[kSharedMaxKeys];
    // Stride blockDim.x, about n/2: in either half, neighbouring threads load neighbouring keys.
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tile[i] = ordered_int(keys[i]);
    __syncthreads();  // threads compare keys that others loaded
    sort_shared(tile, n);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        keys[i] = key_from_ordered_int<Key>(tile[i]);
    }
}

template <class Key>
void shared(Key* keys, unsigned n) {
    if (n < 2) return;
    shared_kernel<<<1, n / 2>>>(keys, n);
    CUDA_CHECK_LAUNCH();
}

// ---- Many blocks -----------------------------------------------------------------------------
constexpr unsigned kGridThreads = 256;
constexpr std::size_t kGridMaxKeys = std::size_t{1} << 17;
// grid: a launch per half-step; the end of a launch is the barrier between the blocks.
// Removes: the limit of one multiprocessor.
// Remains: n launches, and each passes over all keys in global memory.
template <class Key>
__global__ void grid_kernel(Key* keys, unsigned n, unsigned first) {
    const unsigned i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) compare_exchange(keys[i], keys[i + 1]);
}

template <class Key>
void grid(Key* keys, unsigned n) {
    const unsigned blocks = divide_up(n / 2, kGridThreads);
    for (unsigned step = 0; blocks > 0 && step < n; ++step) {
        grid_kernel<<<blocks, kGridThreads>>>(keys, n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
}

/// Rounds that sort n keys when each sorts segments of `segment` keys (an even number), from 0 in
/// even rounds and from segment/2 in odd ones: the half-steps of an odd-even sort of half-segments,
/// whose compare-exchange merges and splits two sorted runs (Baudet and Stevenson, 1978).
unsigned rounds_needed(unsigned n, unsigned segment) {
    if (n <= segment) return n < 2 ? 0 : 1;
    return divide_up(n, segment / 2);
}

/// One launch: `blocks` blocks each sort a segment, the first of which begins at key `first`.
struct Round {
    unsigned first;
    unsigned blocks;
};

std::vector<Round> rounds(unsigned n, unsigned segment) {
    std::vector<Round> all;
    while (all.size() < rounds_needed(n, segment)) {
        const unsigned first = all.size() % 2 == 0 ? 0 : segment / 2;
        all.push_back({first, divide_up(n - first, segment)});
    }
    return all;
}

constexpr unsigned kSegment = 1024;  // keys that a block sorts in tiles, coalesced and shuffle
// tiles: a block sorts a segment in shared memory; segments alternate, so that keys can move on.
// Removes: n launches and n passes over global memory; about 2 n / segment are left of each.
// Remains: every key is compared twice as often as necessary; a thread loads two neighbouring keys.
template <class Key>
__global__ void tiles_kernel(Key* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    const unsigned i = 2 * threadIdx.x;
    if (i < count) tile[i] = ordered_int(keys[begin + i]);
    if (i + 1 < count) tile[i + 1] = ordered_int(keys[begin + i + 1]);
    __syncthreads();  // for `coalesced`; here each thread first compares the keys it loaded
    sort_shared(tile, count);
    if (i < count) keys[begin + i] = key_from_ordered_int<Key>(tile[i]);
    if (i + 1 < count) keys[begin + i + 1] = key_from_ordered_int<Key>(tile[i + 1]);
}

template <class Key>
void tiles(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kSegment)) {
        tiles_kernel<<<round.blocks, kSegment / 2>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

// coalesced: neighbouring threads load neighbouring keys, each warp whole sectors at once.
// Removes: half the sectors that a request to global memory touches.
// Remains: two shared-memory reads, up to two writes and a barrier per pair and half-step.
template <class Key>
__global__ void coalesced_kernel(Key* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        tile[i] = ordered_int(keys[begin + i]);
    }
    __syncthreads();  // threads compare keys that others loaded
    sort_shared(tile, count);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        keys[begin + i] = key_from_ordered_int<Key>(tile[i]);
    }
}

template <class Key>
void coalesced(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kSegment)) {
        coalesced_kernel<<<round.blocks, kSegment / 2>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

// shuffle: a thread keeps one key in a register, and neighbours in a warp exchange by shuffles.
// Removes: shared memory and the barrier from half the half-steps, most of it from the others.
// Remains: a shuffle per key and half-step; both threads of a pair do the same comparison.
template <class Key>
__global__ void shuffle_kernel(Key* keys, unsigned n, unsigned first) {
    constexpr unsigned kWarps = kSegment / kWarpSize;
    __shared__ int first_of_warp[2][kWarps];  // two buffers: one is read while the next is written
    __shared__ int last_of_warp[2][kWarps];
    const unsigned at = first + blockIdx.x * kSegment + threadIdx.x;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned count = min(kSegment, n - (first + blockIdx.x * kSegment));
    int key = at < n ? ordered_int(keys[at]) : INT_MAX;  // what is past the end stays there
    for (unsigned step = 0; step < count; step += 2) {
        // The even half-step: lanes (0 1)(2 3)... of each warp.
        int other = __shfl_xor_sync(kFullMask, key, 1);
        key = lane % 2 == 0 ? min(key, other) : max(key, other);
        // The odd half-step: lanes (1 2)(3 4)..., and lane 31 with lane 0 of the next warp.
        const unsigned buffer = step / 2 % 2;
        if (lane == 0) first_of_warp[buffer][warp] = key;
        if (lane == kWarpSize - 1) last_of_warp[buffer][warp] = key;
        __syncthreads();  // between the writes above and the reads below by the neighbour warps
        other = __shfl_sync(kFullMask, key, lane % 2 == 0 ? lane - 1 : lane + 1);
        if (lane == 0) other = warp > 0 ? last_of_warp[buffer][warp - 1] : INT_MIN;
        if (lane == kWarpSize - 1) {
            other = warp + 1 < kWarps ? first_of_warp[buffer][warp + 1] : INT_MAX;
        }
        key = lane % 2 == 0 ? max(key, other) : min(key, other);
    }
    if (at < n) keys[at] = key_from_ordered_int<Key>(key);
}

template <class Key>
void shuffle(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kSegment)) {
        shuffle_kernel<<<round.blocks, kSegment>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- Several keys per thread -----------------------------------------------------------------
// A block now has four warps, one for each scheduler of a multiprocessor. A thread holds a group of
// consecutive keys. Loops over a group are unrolled: constant indices keep it in registers.
constexpr int kBlockWarps = 4;
constexpr int kBlockThreads = kBlockWarps * static_cast<int>(kWarpSize);

/// Loads the group at index `at`. Before `begin` it holds INT_MIN, from `end` on INT_MAX.
template <class Key, int kKeys>
__device__ void load_group(const Key* keys, int begin, int end, int at, int (&key)[kKeys]) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        key[i] = ordered_int(keys[min(max(at + i, begin), end - 1)]);
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        if (at + i < begin) key[i] = INT_MIN;
        if (at + i >= end) key[i] = INT_MAX;
    }
}

/// Stores the keys of the group that lie in [begin, end).
template <class Key, int kKeys>
__device__ void store_group(Key* keys, int begin, int end, int at, const int (&key)[kKeys]) {
    Key to_store[kKeys];
#pragma unroll
    for (int i = 0; i < kKeys; ++i) to_store[i] = key_from_ordered_int<Key>(key[i]);
    if (at >= begin && at + kKeys <= end) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) keys[at + i] = to_store[i];
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (at + i >= begin && at + i < end) keys[at + i] = to_store[i];
        }
    }
}

/// A compare-exchange of two registers. TwoPipes below treats some pairs differently.
struct MinMax {
    __device__ void operator()(int& low, int& high, int /*pair*/, bool /*is_last*/) const {
        const int lower = min(low, high);
        high = max(low, high);
        low = lower;
    }
};

/// The pairs of a half-step within a thread. compare_exchange also gets the number of the pair.
template <class CompareExchange, int kKeys>
__device__ void compare_within_thread(int (&key)[kKeys], int first,
                                      const CompareExchange& compare_exchange) {
#pragma unroll
    for (int i = first; i + 1 < kKeys; i += 2) {
        compare_exchange(key[i], key[i + 1], (first * kKeys + i) / 2, i + 2 == kKeys);
    }
}

constexpr int kGroupKeys = 16;
constexpr int kRegistersSegment = kBlockThreads * kGroupKeys;
// registers: a thread holds 16 consecutive keys, so most pairs lie within one thread.
// Removes: all but two of 32 shuffles per two half-steps; and one thread compares each pair.
// Remains: a barrier every two half-steps, for the few pairs that lie in two warps.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1) registers_kernel(Key* keys, int n, int first) {
    __shared__ int first_of_warp[2][kBlockWarps];  // as in shuffle_kernel
    __shared__ int last_of_warp[2][kBlockWarps];
    const int lane = threadIdx.x % kWarpSize;
    const int warp = threadIdx.x / kWarpSize;
    const int begin = first + blockIdx.x * kRegistersSegment;
    const int end = min(begin + kRegistersSegment, n);
    const int at = begin + threadIdx.x * kGroupKeys;
    int key[kGroupKeys];
    load_group(keys, begin, end, at, key);
    for (int step = 0; step < end - begin; step += 2) {
        compare_within_thread(key, 0, MinMax{});
        const int buffer = step / 2 % 2;
        if (lane == 0) first_of_warp[buffer][warp] = key[0];
        if (lane == kWarpSize - 1) last_of_warp[buffer][warp] = key[kGroupKeys - 1];
        __syncthreads();  // between the writes above and the reads below by the neighbour warps
        int from_left = __shfl_up_sync(kFullMask, key[kGroupKeys - 1], 1);
        int from_right = __shfl_down_sync(kFullMask, key[0], 1);
        if (lane == 0) from_left = warp > 0 ? last_of_warp[buffer][warp - 1] : INT_MIN;
        if (lane == kWarpSize - 1) {
            from_right = warp + 1 < kBlockWarps ? first_of_warp[buffer][warp + 1] : INT_MAX;
        }
        compare_within_thread(key, 1, MinMax{});
        key[0] = max(key[0], from_left);
        key[kGroupKeys - 1] = min(key[kGroupKeys - 1], from_right);
    }
    store_group(keys, begin, end, at, key);
}

template <class Key>
void registers(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kRegistersSegment)) {
        registers_kernel<<<round.blocks, kBlockThreads>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- Warps that overlap ----------------------------------------------------------------------
/// How neighbouring warps overlap: both hold the 2 * overlap groups around their common seam. A
/// warp's outermost keys lack a neighbour and are wrong after one half-step, the next ones after
/// two. After an interval, `overlap` groups at either end of a warp are wrong, and are copied from
/// the warp in which they are right. The inner loop does two half-steps `unroll` times.
template <int keys, int overlap, int unroll>
struct Window {
    static constexpr int kWarps = kBlockWarps;
    static constexpr int kThreads = kBlockThreads;
    static constexpr int kLanes = kWarpSize;
    static constexpr int kKeys = keys;        // of a thread: one group
    static constexpr int kOverlap = overlap;  // in groups
    static constexpr int kOwnLanes = kLanes - 2 * overlap;
    static constexpr int kGroups = kBlockWarps * kOwnLanes + 2 * overlap;  // each counted once
    static constexpr int kInterval = overlap * keys;  // half-steps from one refresh to the next
    static constexpr int kUnroll = unroll;
    static constexpr int kSeamPairs = (kBlockWarps - 1) * 2 * overlap * keys / 2;
    static_assert(keys % 2 == 0, "groups begin with even keys, and are copied two keys at a time");
    static_assert(kInterval % (2 * unroll) == 0, "an interval is a whole number of inner loops");
};

/// Where a thread's group lies in its block's window.
template <class Window>
struct LanePosition {
    int group;          // 0 .. kGroups - 1
    bool is_copy;       // another warp holds this group too, and it stays right for longer there
    bool is_source;     // another warp holds a copy of this group
    int seam_position;  // among all groups that two warps hold

    __device__ LanePosition() {
        constexpr int kOverlap = Window::kOverlap;
        const int lane = threadIdx.x % Window::kLanes;
        const int warp = threadIdx.x / Window::kLanes;
        const int seam = lane < 2 * kOverlap ? warp - 1 : warp;  // the nearest one
        const int in_seam = lane < 2 * kOverlap ? lane : lane - Window::kOwnLanes;
        const bool in_two_warps = in_seam >= 0 && seam >= 0 && seam < Window::kWarps - 1;
        group = warp * Window::kOwnLanes + lane;
        is_copy = in_two_warps && (lane < kOverlap || lane >= Window::kLanes - kOverlap);
        is_source = in_two_warps && !is_copy;
        seam_position = seam * 2 * kOverlap + in_seam;
    }
};

/// Where a thread stores its group for a neighbour warp, or reads it: two buffers in shared memory,
/// used alternately. A fast warp may write the next one while a slow warp still reads this one.
template <class Window>
struct ExchangeBuffers {
    int2* now;
    int2* next;

    __device__ ExchangeBuffers(int2* seams, const LanePosition<Window>& position)
        : now(seams + position.seam_position * (Window::kKeys / 2)),
          next(now + Window::kSeamPairs) {}

    __device__ void swap() {
        int2* const used = now;
        now = next;
        next = used;
    }
};

/// Copies groups from the warps in which they are right to the others, through shared memory.
template <class Window>
__device__ void refresh_seams(int (&key)[Window::kKeys], const LanePosition<Window>& position,
                              ExchangeBuffers<Window>& buffers) {
    if (position.is_source) {
#pragma unroll
        for (int i = 0; i < Window::kKeys; i += 2) {
            buffers.now[i / 2] = make_int2(key[i], key[i + 1]);
        }
    }
    __syncthreads();  // between the writes above and the reads below by the neighbour warp
    if (position.is_copy) {
#pragma unroll
        for (int i = 0; i < Window::kKeys; i += 2) {
            const int2 two = buffers.now[i / 2];
            key[i] = two.x;
            key[i + 1] = two.y;
        }
    }
    buffers.swap();
}

/// An even and an odd half-step of the warp's keys.
template <class CompareExchange, int kKeys>
__device__ void two_half_steps(int (&key)[kKeys], const CompareExchange& compare_exchange) {
    compare_within_thread(key, 0, compare_exchange);
    const int from_left = __shfl_up_sync(kFullMask, key[kKeys - 1], 1);
    const int from_right = __shfl_down_sync(kFullMask, key[0], 1);
    compare_within_thread(key, 1, compare_exchange);
    key[0] = max(key[0], from_left);
    key[kKeys - 1] = min(key[kKeys - 1], from_right);
}

/// The half-steps from one refresh to the next.
template <class Window, class CompareExchange>
__device__ void one_interval(int (&key)[Window::kKeys], const CompareExchange& compare_exchange) {
#pragma unroll 1
    for (int step = 0; step < Window::kInterval; step += 2 * Window::kUnroll) {
#pragma unroll
        for (int i = 0; i < Window::kUnroll; ++i) two_half_steps(key, compare_exchange);
    }
}

/// `count` half-steps, or one more; at most an interval.
template <class CompareExchange, int kKeys>
__device__ void last_half_steps(int (&key)[kKeys], int count,
                                const CompareExchange& compare_exchange) {
#pragma unroll 1
    for (int step = 0; step < count; step += 2) two_half_steps(key, compare_exchange);
}

/// `count` half-steps of the block's window, or one more.
template <class Window, class CompareExchange>
__device__ void half_steps(int (&key)[Window::kKeys], int count,
                           const LanePosition<Window>& position, ExchangeBuffers<Window>& buffers,
                           const CompareExchange& compare_exchange) {
    for (; count > Window::kInterval; count -= Window::kInterval) {
        one_interval<Window>(key, compare_exchange);
        refresh_seams(key, position, buffers);
    }
    last_half_steps(key, count, compare_exchange);
}

using LoopWindow = Window<kGroupKeys, 4, 1>;
using UnrolledWindow = Window<kGroupKeys, 4, 32>;
// The window's first and last groups hold no keys of the segment: its end lanes have no neighbour.
constexpr int kOverlapSegment = (LoopWindow::kGroups - 2) * kGroupKeys;

/// Sorts the block's segment, as `overlap`, `unrolled` and `two_pipes` do it.
template <class Window, class Key, class CompareExchange>
__device__ void sort_segment(Key* keys, int n, int first, const CompareExchange& compare_exchange) {
    __shared__ int2 seams[2 * Window::kSeamPairs];
    const LanePosition<Window> position;
    ExchangeBuffers<Window> buffers(seams, position);
    const int begin = first + blockIdx.x * kOverlapSegment;
    const int end = min(begin + kOverlapSegment, n);
    const int at = begin + (position.group - 1) * Window::kKeys;
    int key[Window::kKeys];
    load_group(keys, begin, end, at, key);
    __syncthreads();  // all keys are loaded before any is stored: few keys need no refresh below
    half_steps(key, end - begin, position, buffers, compare_exchange);
    if (!position.is_copy) store_group(keys, begin, end, at, key);
}

// overlap: neighbouring warps both hold the keys around their seam, and exchange them rarely.
// Removes: the barrier of every two half-steps; one in 64 half-steps is left.
// Remains: a branch after every two half-steps, before which the next two cannot begin.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1) overlap_kernel(Key* keys, int n, int first) {
    sort_segment<LoopWindow>(keys, n, first, MinMax{});
}

template <class Key>
void overlap(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kOverlapSegment)) {
        overlap_kernel<<<round.blocks, LoopWindow::kThreads>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

// unrolled: the 64 half-steps from one refresh to the next are one straight piece of code.
// Removes: the branches; the compiler can start comparisons while shuffles are under way.
// Remains: every minimum and maximum goes through the same pipe, and the other pipes are idle.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1) unrolled_kernel(Key* keys, int n, int first) {
    sort_segment<UnrolledWindow>(keys, n, first, MinMax{});
}

template <class Key>
void unrolled(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kOverlapSegment)) {
        unrolled_kernel<<<round.blocks, UnrolledWindow::kThreads>>>(keys, n, round.first);
        CUDA_CHECK_LAUNCH();
    }
}

/// A compare-exchange on two pipes. The ALU pipe does min and max, half a warp per scheduler and
/// clock, and the pipe that multiplies would be idle. In two of three pairs it computes one of the
/// keys, as the pair's sum minus the other key: exact modulo 2^32, and both pipes are equally busy.
/// 1 and -1, with which it multiplies, are parameters of the kernel: if the compiler knew them, it
/// would add on the ALU. The sum does not wait for the minimum.
struct TwoPipes {
    unsigned one = 1;
    unsigned minus_one = ~0u;

    __device__ void operator()(int& low, int& high, int pair, bool is_last) const {
        if (pair % 3 == 0) return MinMax{}(low, high, pair, is_last);
        const unsigned low_key = low, high_key = high;
        if (is_last) {  // the maximum first: a shuffle waits for the thread's last key
            const int higher = max(low, high);
            const unsigned sum = low_key * one + high_key;
            low = static_cast<int>(static_cast<unsigned>(higher) * minus_one + sum);
            high = higher;
        } else {
            const int lower = min(low, high);
            const unsigned sum = low_key * one + high_key;
            high = static_cast<int>(static_cast<unsigned>(lower) * minus_one + sum);
            low = lower;
        }
    }
};

// two_pipes: two of three pairs compute one of their keys by multiplications.
// Removes: a third of the operations from the pipe that did them all.
// Remains: launches, and every key is still compared twice as often as necessary.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1)
    two_pipes_kernel(Key* keys, int n, int first, TwoPipes two_pipes) {
    sort_segment<UnrolledWindow>(keys, n, first, two_pipes);
}

template <class Key>
void two_pipes(Key* keys, unsigned n) {
    for (const Round& round : rounds(n, kOverlapSegment)) {
        two_pipes_kernel<<<round.blocks, UnrolledWindow::kThreads>>>(keys, n, round.first,
                                                                     TwoPipes{});
        CUDA_CHECK_LAUNCH();
    }
}

// ---- Blocks that overlap ---------------------------------------------------------------------
constexpr int kHaloMargin = 20;  // groups on either side that the neighbour blocks own
constexpr int kHaloOwn = (UnrolledWindow::kGroups - 2 * kHaloMargin) * kGroupKeys;  // keys
constexpr int kHaloHalfSteps = kHaloMargin * kGroupKeys;  // after which the margins are wrong
// halo: blocks overlap as warps do: each also loads a margin of its neighbours' keys, the halo.
// Removes: the doubled comparisons: no segment is sorted from scratch again and again.
// Remains: more launches than before, each with a pass over all keys; margins are computed twice.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1)
    halo_kernel(const Key* from, Key* to, int n, int count, TwoPipes two_pipes) {
    using W = UnrolledWindow;
    __shared__ int2 seams[2 * W::kSeamPairs];
    const LanePosition<W> position;
    ExchangeBuffers<W> buffers(seams, position);
    const int begin = blockIdx.x * kHaloOwn;
    const int at = begin + (position.group - kHaloMargin) * W::kKeys;
    int key[W::kKeys];
    load_group(from, 0, n, at, key);
    half_steps(key, count, position, buffers, two_pipes);
    if (!position.is_copy) store_group(to, begin, min(begin + kHaloOwn, n), at, key);
}

template <class Key>
void halo(Key* keys, unsigned n, void* scratch) {
    Key* from = keys;
    Key* to = static_cast<Key*>(scratch);  // a block may still load what another stores: two arrays
    for (unsigned done = 0; n > 1 && done < n; done += kHaloHalfSteps) {
        const unsigned count = std::min<unsigned>(n - done, kHaloHalfSteps);
        const unsigned blocks = divide_up<unsigned>(n, kHaloOwn);
        halo_kernel<<<blocks, UnrolledWindow::kThreads>>>(from, to, n, count, TwoPipes{});
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    if (from != keys) {
        CUDA_CHECK(cudaMemcpyAsync(keys, from, n * sizeof(Key), cudaMemcpyDeviceToDevice));
    }
}

// ---- Blocks that stay, and exchange their halos ----------------------------------------------
/// How `persistent` cuts n keys into windows.
struct HaloShape {
    int keys;       // per thread; they name the window
    int refreshes;  // of the seams, from one exchange to the next; at least 2: see the kernel
    int margin;     // groups at either end of a window that a neighbour block owns
    int own;        // groups between them
    int blocks;
};

/// The windows that `persistent` chooses from. All blocks run at once, so each holds at least n /
/// multiprocessors keys. More keys per thread: fewer blocks and shuffles, but longer half-steps.
using PersistentWindows = std::tuple<Window<12, 6, 36>, Window<14, 4, 28>, Window<18, 3, 27>,
                                     Window<22, 2, 22>, Window<40, 2, 10>, Window<72, 1, 4>>;

/// Calls use(window) for each of these windows.
template <class Windows = PersistentWindows, class Use>
void for_each_window(const Use& use) {
    std::apply([&](auto... window) { (use(window), ...); }, Windows{});
}

/// Clocks of a half-step, roughly. Rare exchanges cost less, so margins are as wide as possible.
template <class Window>
double half_step_clocks(const HaloShape& shape) {
    constexpr double kKeys = 1.0 * Window::kKeys * Window::kWarps / kBlockWarps;  // a scheduler's
    // For three pairs each of the two pipes does four operations of two clocks; only a few pairs
    // wait for the shuffles.
    const double pairs = std::max(20.0, 2 + 4 * kKeys / 3);
    // A jump back: a long loop is no longer in the nearest instruction cache.
    const double jump = 120.0 / (2 * Window::kUnroll);
    const double refresh = (100 + 5 * kKeys) / Window::kInterval;
    const double exchange = shape.blocks == 1 ? 0.0 : 1100.0 / (shape.margin * Window::kKeys);
    return pairs + jump + refresh + exchange;
}

/// The cheapest shape; blocks = 0 if the registers of the multiprocessors cannot hold n keys.
template <class Windows = PersistentWindows>
HaloShape choose_shape(unsigned n, int multiprocessors) {
    HaloShape best = {};
    double least = 0.0;
    for_each_window<Windows>([&](auto window) {
        using W = decltype(window);
        HaloShape shape = {W::kKeys, 1, 1, W::kGroups - 2, 1};
        if (n > static_cast<unsigned>(shape.own * W::kKeys)) {
            // A block's neighbours must not reach each other: own >= 2 * margin.
            for (int refreshes = W::kGroups / (4 * W::kOverlap); refreshes > 1; --refreshes) {
                const int margin = refreshes * W::kOverlap;
                const int own = W::kGroups - 2 * margin;
                const int blocks = (static_cast<int>(n) - 1) / (own * W::kKeys) + 1;
                shape = {W::kKeys, refreshes, margin, own, blocks};
                if (blocks <= multiprocessors) break;
            }
            if (shape.blocks == 1 || shape.blocks > multiprocessors) return;
        }
        const double cost = half_step_clocks<W>(shape);
        if (best.blocks == 0 || cost < least) {
            best = shape;
            least = cost;
        }
    });
    return best;
}

/// A key for a neighbour block, and the number of the interval after which it was sent. All 8 bytes
/// are read and written at once, so a reader that sees the number sees the key.
using TaggedKey = unsigned long long;

/// Distance of a thread's tagged keys: neighbouring threads write neighbours. (2 * margin <= own.)
template <class Window>
constexpr int kMailStride = Window::kGroups / 2;

/// Tagged keys in all mailboxes, both buffers. At most 2 n, since (blocks - 1) * own * keys < n.
std::size_t mailbox_keys(const HaloShape& shape) {
    const int stride = (shape.own + 2 * shape.margin) / 2;  // kMailStride of the shape's window
    return std::size_t{2} * (shape.blocks - 1) * stride * shape.keys;
}

/// `mailbox`: the thread's; volatile, so that each access has 8 bytes and every poll loads again.
template <class Window>
__device__ void send_group(const int (&key)[Window::kKeys], unsigned interval,
                           volatile TaggedKey* mailbox) {
#pragma unroll
    for (int i = 0; i < Window::kKeys; ++i) {
        mailbox[i * kMailStride<Window>] =
            TaggedKey{interval} << 32 | static_cast<unsigned>(key[i]);
    }
}

/// Waits until all keys of this interval have been sent to the receivers among the warp's threads.
/// All threads of the warp stay together: shuffles among diverged threads cost more.
template <class Window>
__device__ void receive_group(int (&key)[Window::kKeys], unsigned interval,
                              volatile TaggedKey* mailbox, bool receives) {
    bool arrived = !receives;
    while (!__all_sync(kFullMask, arrived)) {
        if (receives) {
            arrived = true;
#pragma unroll
            for (int i = 0; i < Window::kKeys; ++i) {
                const TaggedKey tagged = mailbox[i * kMailStride<Window>];
                key[i] = static_cast<int>(tagged);
                arrived = arrived && static_cast<unsigned>(tagged >> 32) == interval;
            }
        }
        spin_yield();
    }
}

// persistent: blocks keep their keys in registers, and exchange halos through mailboxes.
// Removes: all launches but one, and the passes over the keys.
// Remains: the margins are computed twice, and a block that waits for its neighbour does nothing.
template <class Key, class Window>
__global__ void __launch_bounds__(Window::kThreads, 1)
    persistent_kernel(Key* keys, int n, int half_steps, TaggedKey* mailboxes, HaloShape shape,
                      TwoPipes two_pipes) {
    __shared__ int2 seams[2 * Window::kSeamPairs];
    const LanePosition<Window> position;
    ExchangeBuffers<Window> buffers(seams, position);
    const int group = position.group;
    const int at =
        (static_cast<int>(blockIdx.x) * shape.own + group - shape.margin) * Window::kKeys;
    int key[Window::kKeys];
    load_group(keys, 0, n, at, key);
    __syncthreads();  // all keys are loaded before any is stored: few keys need no refresh below
    // Around the border between two blocks lie 2 * margin groups that both hold. Each block owns
    // the half on its side: it sends that half, and receives the other.
    const bool at_left = group < 2 * shape.margin && blockIdx.x > 0;
    const bool at_right = group >= shape.own && blockIdx.x + 1 < gridDim.x;
    const bool owned = group >= shape.margin && group < shape.margin + shape.own;
    const bool receives = (at_left || at_right) && !owned;
    const bool sends = (at_left || at_right) && owned && !position.is_copy;
    const int border = static_cast<int>(blockIdx.x) - (at_left ? 1 : 0);
    constexpr int kBorderKeys = kMailStride<Window> * Window::kKeys;
    TaggedKey* mailbox = mailboxes + border * kBorderKeys + (at_left ? group : group - shape.own);
    TaggedKey* next_mailbox = mailbox + (static_cast<int>(gridDim.x) - 1) * kBorderKeys;
    const unsigned first_exchange = gridDim.x > 1 ? shape.refreshes : UINT_MAX;
    unsigned next_exchange = first_exchange;
    int left = half_steps;
    for (unsigned interval = 1; left > Window::kInterval; ++interval) {
        one_interval<Window>(key, two_pipes);
        left -= Window::kInterval;
        if (interval != next_exchange) {
            refresh_seams(key, position, buffers);
            continue;
        }
        if (sends) {
            // Release: a neighbour that sees our first tags knows that this block has loaded its
            // keys: all its threads have passed a refresh. Later keys need no fence, but tags.
            if (interval == first_exchange) __threadfence();
            send_group<Window>(key, interval, mailbox);
        }
        refresh_seams(key, position, buffers);
        // Two buffers are enough. We overwrite what we sent two exchanges ago. Its reader has read
        // it: it has sent keys since, and before it sends, all its threads pass the barrier of a
        // refresh after the previous exchange (refreshes >= 2). No deadlock: send, then receive.
        receive_group<Window>(key, interval, mailbox, receives);
        // Acquire: the neighbours have loaded their windows, including our outer keys. A refresh
        // comes before our threads store keys: n half-steps are more than two exchanges.
        if (interval == first_exchange) __threadfence();
        TaggedKey* const used = mailbox;
        mailbox = next_mailbox;
        next_mailbox = used;
        next_exchange += shape.refreshes;
    }
    last_half_steps(key, left, two_pipes);
    if (owned && !position.is_copy) store_group(keys, 0, n, at, key);
}

/// The mailboxes in the scratch memory: no interval has the number 0.
TaggedKey* cleared_mailboxes(const HaloShape& shape, void* scratch) {
    const std::size_t bytes = mailbox_keys(shape) * sizeof(TaggedKey);  // none for a single block
    if (bytes > 0) CUDA_CHECK(cudaMemsetAsync(scratch, 0, bytes));
    return static_cast<TaggedKey*>(scratch);
}

/// `half_steps` half-steps with this shape; its blocks must hold all keys, and each block at least
/// one.
template <class Windows = PersistentWindows, class Key>
void launch_persistent(Key* keys, unsigned n, void* scratch, HaloShape shape, unsigned half_steps) {
    TaggedKey* mailboxes = cleared_mailboxes(shape, scratch);
    for_each_window<Windows>([&](auto window) {
        if (window.kKeys != shape.keys) return;
        TwoPipes two_pipes;
        void* arguments[] = {&keys, &n, &half_steps, &mailboxes, &shape, &two_pipes};
        // Cooperative: all blocks run at once, or none. Blocks that wait for each other need this.
        CUDA_CHECK(launch_cooperatively(persistent_kernel<Key, decltype(window)>,
                                        dim3(shape.blocks), dim3(window.kThreads), arguments));
    });
}

template <class Key>
void persistent(Key* keys, unsigned n, void* scratch) {
    if (n < 2) return;
    const HaloShape shape = choose_shape(n, device_info().sm_count);
    // Too few multiprocessors: their registers cannot hold all keys.
    if (shape.blocks == 0) return halo(keys, n, scratch);
    launch_persistent(keys, n, scratch, shape, n);
}

// ---- The table -------------------------------------------------------------------------------
template <class Key>
const std::vector<Stage<Launch<Key>>>& stages() {
    const Limits host_keys = {std::size_t{1} << 15, "more would take many seconds"};
    const Limits global_keys = {kGlobalMaxKeys, "one multiprocessor would take many seconds"};
    const Limits shared_keys = {kSharedMaxKeys, "one block holds two keys per thread"};
    const Limits grid_keys = {kGridMaxKeys, "so many launches would take many seconds"};
    static const std::vector<Stage<Launch<Key>>> table = {
        {{"bubble_host", "host: the classic bubble sort", RowKind::host, host_keys},
         bubble_host<Key>},
        {{"odd_even_host", "host: odd-even half-steps", RowKind::host, host_keys},
         odd_even_host<Key>},
        {{"global", "one block, keys in global memory", RowKind::stage, global_keys}, global<Key>},
        {{"shared", "one block, keys in shared memory", RowKind::stage, shared_keys}, shared<Key>},
        {{"grid", "many blocks, a launch per half-step", RowKind::stage, grid_keys}, grid<Key>},
        {{"tiles", "a block sorts a segment in shared memory; segments alternate"}, tiles<Key>},
        {{"coalesced", "neighbouring threads load neighbouring keys"}, coalesced<Key>},
        {{"shuffle", "one key per thread in a register, warp shuffles"}, shuffle<Key>},
        {{"registers", "16 keys per thread in registers"}, registers<Key>},
        {{"overlap", "neighbouring warps overlap: few barriers"}, overlap<Key>},
        {{"unrolled", "64 half-steps without a branch"}, unrolled<Key>},
        {{"two_pipes", "a third of the work on the pipe that multiplies"}, two_pipes<Key>},
        {{"halo", "neighbouring blocks overlap: nothing is sorted twice"}, halo<Key>},
        {{"persistent", "one launch: blocks keep their keys and exchange halos"}, persistent<Key>},
#if defined(__CUDACC__)
        {{"cub_radix", "a better algorithm: cub's radix sort", RowKind::library}, cub_radix<Key>},
#endif
    };
    return table;
}

/// The work of the many-block stages, for the estimate.
std::vector<StageWork> many_block_work(unsigned n, int multiprocessors) {
    const auto segments = [n](const char* stage, unsigned segment) {
        return StageWork{stage, 1.0 * rounds_needed(n, segment), 1.0 * divide_up(n, segment),
                         1.0 * std::min(n, segment), 1.0 * std::min(n, segment)};
    };
    std::vector<StageWork> work = {
        {"grid", 1.0 * n, 1.0 * divide_up(n / 2, kGridThreads), 1.0, 2.0 * kGridThreads},
        segments("tiles", kSegment),
        segments("coalesced", kSegment),
        segments("shuffle", kSegment),
        segments("registers", kRegistersSegment),
        segments("overlap", kOverlapSegment),
        segments("unrolled", kOverlapSegment),
        segments("two_pipes", kOverlapSegment),
        {"halo", 1.0 * divide_up<unsigned>(n, kHaloHalfSteps),
         1.0 * divide_up<unsigned>(n, kHaloOwn), 1.0 * std::min<unsigned>(n, kHaloHalfSteps),
         1.0 * UnrolledWindow::kGroups * kGroupKeys},
    };
    const HaloShape shape = choose_shape(n, multiprocessors);
    if (shape.blocks > 0) {
        const double window = 1.0 * (shape.own + 2 * shape.margin) * shape.keys;
        work.push_back({"persistent", 1.0, 1.0 * shape.blocks, 1.0 * n, window});
    }
    return work;
}

/// Bytes for the second array of `halo`, the mailboxes of `persistent` (16 n), or cub's sort.
std::size_t scratch_bytes(std::size_t n) { return 16 * n + kLibraryScratch; }

template <class Key>
std::unique_ptr<Experiment> experiment(bool estimate) {
    return std::make_unique<BubbleSort<Key>>(stages<Key>(), scratch_bytes, many_block_work,
                                             estimate);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t k1024 = 1024;
    std::string type = "float";
    bool estimate = false;
    Chapter chapter("ch01_bubble", "odd-even transposition sort, one key at a time", "key");
    chapter.sizes(64 * k1024, 2 * k1024, k1024 * k1024, 16 * k1024)
        .choice("--type", "type of the keys", {"float", "int"}, type)
        .flag("--estimate", "print what counting predicts for each many-block stage", estimate);
    return chapter.run(argc, argv, [&](const Options&) -> std::unique_ptr<Experiment> {
        if (type == "int") return experiment<int>(estimate);
        return experiment<float>(estimate);
    });
}
