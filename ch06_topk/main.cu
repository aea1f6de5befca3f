// Chapter 6: the k largest of N keys, with one read of the data.
//
// You will learn: to throw data away early (a threshold); to keep a sorted queue in a warp's
// registers; to let blocks share what they know without waiting; to find a threshold before the
// first key is looked at, so that no order of the data is a bad one; and what "the 20 largest"
// leaves open: duplicates, ties, NaN.
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch06_topk
//   nvcc -std=c++17 -O3 -arch=native -I. ch06_topk/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch06
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cooperative_launch.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/sort_in_parts.hpp"
#include "cells.cuh"
#include "experiment.hpp"
#include "few_keys.cuh"
#include "grid_floor.cuh"
#include "job.cuh"
#include "radix_select.cuh"
#include "stream.cuh"

namespace {

using namespace tutorial;
using namespace topk;

// ---- The reference ---------------------------------------------------------------------------

/// The k best as composites, best first; all of them if there are fewer. Distinct: every value
/// once, with its lowest index.
template <class Key>
std::vector<Composite> reference(const std::vector<Key>& keys, unsigned k, unsigned flip,
                                 bool distinct) {
    std::vector<Composite> best;
    Composite floor = 0;  // what is below is not among the k best
    const auto keep_best = [&] {
        sort_in_parts(best, std::greater<>());
        const auto same = [](Composite a, Composite b) { return rank_of(a) == rank_of(b); };
        if (distinct) best.erase(std::unique(best.begin(), best.end(), same), best.end());
        if (best.size() > k) best.resize(k);
        if (best.size() == k && k > 0) floor = best.back();
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Composite item = composite_of(keys[i], static_cast<unsigned>(i), flip);
        if (item == 0 || item < floor) continue;
        best.push_back(item);
        if (best.size() >= std::size_t{2} * k + 1000) keep_best();
    }
    keep_best();
    return best;
}

// ---- The article's way -----------------------------------------------------------------------

/// Up to this k the first stages work: they keep k items a thread, or one a lane.
constexpr unsigned kMaxListK = 32;

/// Puts `item` into the descending list top[0..k) if it belongs there; the last one falls out.
/// 0 is an empty place. Distinct: of equal values the one with the lower index stays. Returns
/// whether the list changed.
__host__ __device__ bool insert_value(Composite* top, unsigned k, Composite item, bool distinct) {
    if (item <= top[k - 1]) return false;
    unsigned place = k - 1;  // what is here is overwritten
    if (distinct) {
        for (unsigned i = 0; i < k && top[i] != 0; ++i) {
            if (rank_of(top[i]) != rank_of(item)) continue;
            if (top[i] >= item) return false;
            place = i;
        }
    }
    for (; place > 0 && top[place - 1] < item; --place) top[place] = top[place - 1];
    top[place] = item;
    return true;
}

constexpr unsigned kListThreads = 128;  // 32 items of 8 bytes each: 32 KB of shared memory
constexpr unsigned kListBlocksPerSm = 8;

/// This thread's k best of the n items, every (threads of the grid)-th, to its list in shared
/// memory. Item: a key, or what an earlier pass has left of the keys, a composite.
template <class Item>
__device__ void collect(const Item* items, unsigned n, unsigned k, unsigned flip, bool distinct,
                        Composite* mine) {
    Composite top[kMaxListK];
    for (unsigned i = 0; i < k; ++i) top[i] = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        const Composite item = composite_of(items[i], static_cast<unsigned>(i), flip);
        insert_value(top, k, item, distinct);
    }
    for (unsigned i = 0; i < k; ++i) mine[i] = top[i];
}

/// Merges the threads' lists into the first: half of the threads insert the other half's, then a
/// quarter, and so on.
__device__ void merge_lists(Composite* lists, unsigned k, bool distinct) {
    Composite* const mine = lists + threadIdx.x * k;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the lists of the level before are complete
        if (threadIdx.x >= half) continue;
        const Composite* const other = mine + half * k;
        for (unsigned i = 0; i < k; ++i) insert_value(mine, k, other[i], distinct);
    }
    __syncthreads();  // the first list is complete
}

/// The entries first, first + step, ... of the block's descending list of k, of which some may be
/// empty (0): to its part of `next`, the items of the next pass; in the last pass, where `next` is
/// nullptr, to the answer.
template <class Key>
__device__ void write_list(const Composite* list, unsigned first, unsigned step,
                           const Job<Key>& job, Composite* next) {
    const unsigned k = job.k;
    if (next != nullptr) {
        for (unsigned i = first; i < k; i += step) next[blockIdx.x * k + i] = list[i];
        return;
    }
    if (first == 0 && list[0] == 0) *job.result.count = 0;
    for (unsigned i = first; i < k && list[i] != 0; i += step) {
        job.result.write(i, list[i], job.flip);
        if (i + 1 == k || list[i + 1] == 0) *job.result.count = i + 1;
    }
}

// insert: every thread keeps its own sorted k best; a block merges them; a second launch, of one
// block, merges the blocks'.
// Removes: (the starting point).
// Remains: lists indexed at run time live in slow local memory; every key is compared with its own
// thread's k-th only; one thread writes the block's list; the last block has thousands of items.
template <class Key, class Item>
__global__ void insert_kernel(Job<Key> job, const Item* items, unsigned n, Composite* next) {
    extern __shared__ Composite lists[];
    collect(items, n, job.k, job.flip, job.distinct, lists + threadIdx.x * job.k);
    merge_lists(lists, job.k, job.distinct);
    if (threadIdx.x == 0) write_list(lists, 0, 1, job, next);
}

constexpr std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

unsigned sm_count() { return static_cast<unsigned>(device_info().sm_count); }

/// Blocks enough for n items, but no more than so many a multiprocessor.
unsigned blocks_for(std::size_t n, unsigned threads, unsigned per_sm) {
    return static_cast<unsigned>(
        std::min<std::size_t>(divide_up(n, threads), std::size_t{per_sm} * sm_count()));
}

/// Two launches of a kernel: many blocks read the keys, one reads what they left; only one launch
/// where there is only one block. pass(items, n, blocks, next) launches it.
template <class Key, class Pass>
void two_passes(const Job<Key>& job, unsigned blocks, const Pass& pass) {
    Composite* const list = job.scratch.list;
    if (blocks == 1) return pass(job.keys, job.n, 1u, nullptr);
    pass(job.keys, job.n, blocks, list);
    pass(list, blocks * job.k, 1u, nullptr);
}

template <class Key>
void insert(const Job<Key>& job) {
    const unsigned blocks = blocks_for(job.n, kListThreads, kListBlocksPerSm);
    const std::size_t bytes = kListThreads * job.k * sizeof(Composite);
    two_passes(job, blocks, [&](const auto* items, unsigned n, unsigned grid, Composite* next) {
        insert_kernel<<<grid, kListThreads, bytes>>>(job, items, n, next);
        CUDA_CHECK_LAUNCH();
    });
}

// parallel_output: the block's list is written by all its threads.
// Removes: k writes one after the other.
// Remains: everything else; the text measures how little this was.
template <class Key, class Item>
__global__ void parallel_output_kernel(Job<Key> job, const Item* items, unsigned n,
                                       Composite* next) {
    extern __shared__ Composite lists[];
    collect(items, n, job.k, job.flip, job.distinct, lists + threadIdx.x * job.k);
    merge_lists(lists, job.k, job.distinct);
    write_list(lists, threadIdx.x, blockDim.x, job, next);
}

template <class Key, class Item>
void parallel_output_pass(const Job<Key>& job, const Item* items, unsigned n, unsigned blocks,
                          Composite* next) {
    const std::size_t bytes = kListThreads * job.k * sizeof(Composite);
    parallel_output_kernel<<<blocks, kListThreads, bytes>>>(job, items, n, next);
    CUDA_CHECK_LAUNCH();
}

template <class Key>
void parallel_output(const Job<Key>& job) {
    const unsigned blocks = blocks_for(job.n, kListThreads, kListBlocksPerSm);
    two_passes(job, blocks, [&](const auto* items, unsigned n, unsigned grid, Composite* next) {
        parallel_output_pass(job, items, n, grid, next);
    });
}

// passes: as parallel_output, in so many launches that the last has no more items than threads.
// Removes: the long work of the last block.
// Remains: a launch for each pass; and the first, which takes most of the time.
template <class Key>
void passes(const Job<Key>& job) {
    unsigned blocks = blocks_for(job.n, kListThreads, kListBlocksPerSm);
    if (blocks == 1) return parallel_output_pass(job, job.keys, job.n, 1, nullptr);
    Composite* list = job.scratch.list;
    Composite* next = job.scratch.next_list;
    parallel_output_pass(job, job.keys, job.n, blocks, list);
    unsigned items = blocks * job.k;
    while (items > kListThreads) {
        blocks = static_cast<unsigned>(divide_up(items, kListThreads));
        parallel_output_pass(job, list, items, blocks, next);
        items = blocks * job.k;
        std::swap(list, next);
    }
    parallel_output_pass(job, list, items, 1, nullptr);
}

// ---- One list a block, one queue a warp ------------------------------------------------------

constexpr unsigned kThresholdThreads = 256;
constexpr unsigned kThresholdBlocksPerSm = 2;

// threshold: one list a block; a key is compared with its k-th, and hardly any passes.
// Removes: the threads' lists and their merging. Of n keys in random order about k(1 + ln(n/k))
// pass.
// Remains: two barriers for each key that does; at first every key does; while one thread inserts,
// the others wait.
template <class Key, class Item>
__global__ void threshold_kernel(Job<Key> job, const Item* items, unsigned n, Composite* next) {
    const unsigned k = job.k;
    __shared__ Composite top[kMaxListK];
    __shared__ Composite waiting[kThresholdThreads];
    __shared__ unsigned count;
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) top[i] = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();  // the list is empty
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x; first < n;
         first += threads) {
        const std::size_t i = first + threadIdx.x;
        const Composite item =
            i < n ? composite_of(items[i], static_cast<unsigned>(i), job.flip) : 0;
        const bool passes = item > top[k - 1];
        if (!__syncthreads_or(passes)) continue;
        if (passes) waiting[atomicAdd(&count, 1u)] = item;
        __syncthreads();  // all that pass are waiting
        if (threadIdx.x == 0) {
            for (unsigned w = 0; w < count; ++w) insert_value(top, k, waiting[w], job.distinct);
            count = 0;
        }
        __syncthreads();  // the list is complete again
    }
    __syncthreads();  // also for a block that had nothing to do
    write_list(top, threadIdx.x, blockDim.x, job, next);
}

unsigned threshold_blocks(std::size_t n) {
    return blocks_for(n, kThresholdThreads, kThresholdBlocksPerSm);
}

template <class Key>
void threshold(const Job<Key>& job) {
    const unsigned blocks = threshold_blocks(job.n);
    two_passes(job, blocks, [&](const auto* items, unsigned n, unsigned grid, Composite* next) {
        threshold_kernel<<<grid, kThresholdThreads>>>(job, items, n, next);
        CUDA_CHECK_LAUNCH();
    });
}

constexpr unsigned kQueueThreads = 256;
constexpr unsigned kQueueBlocksPerSm = 8;

/// Offers every lane's item to the warp's queue: lane i holds its i-th best. All lanes together.
__device__ void offer(Composite item, unsigned k, bool distinct, Composite& mine) {
    const unsigned lane = threadIdx.x % 32;
    unsigned waiting = __ballot_sync(kFullMask, item > __shfl_sync(kFullMask, mine, k - 1));
    while (waiting != 0) {
        const int from = __ffs(static_cast<int>(waiting)) - 1;
        waiting &= waiting - 1;
        const Composite next = __shfl_sync(kFullMask, item, from);
        const bool same = distinct && mine != 0 && rank_of(mine) == rank_of(next);
        if (__any_sync(kFullMask, same)) {
            if (same) mine = max(mine, next);
            continue;
        }
        // All better ones stay; the others move up one lane, and the last falls out.
        const unsigned place = __popc(__ballot_sync(kFullMask, mine > next));
        const Composite above = __shfl_up_sync(kFullMask, mine, 1);
        if (lane == place) mine = next;
        if (lane > place) mine = above;
    }
}

// warp_queue: every warp keeps a sorted queue in its registers, one item a lane; ballots find what
// passes, who is equal, and the place; a shuffle makes room.
// Removes: the barriers, and the waiting for one thread; memory for the lists.
// Remains: 4-byte reads, few in flight; every warp learns its own threshold; a second launch.
template <class Key, class Item>
__global__ void warp_queue_kernel(Job<Key> job, const Item* items, unsigned n, Composite* next) {
    __shared__ Composite queues[kQueueThreads];
    Composite mine = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    // `first` is the same in all lanes of a warp, so that all of them take part in every offer.
    for (std::size_t first =
             static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x / 32 * 32;
         first < n; first += threads) {
        const std::size_t i = first + threadIdx.x % 32;
        const Composite item =
            i < n ? composite_of(items[i], static_cast<unsigned>(i), job.flip) : 0;
        offer(item, job.k, job.distinct, mine);
    }
    queues[threadIdx.x] = mine;
    __syncthreads();  // all queues are there
    if (threadIdx.x >= 32) return;
    for (unsigned other = 32; other < blockDim.x; other += 32) {
        offer(queues[other + threadIdx.x], job.k, job.distinct, mine);
    }
    queues[threadIdx.x] = mine;
    __syncwarp();  // the block's queue is there
    write_list(queues, threadIdx.x, 32, job, next);
}

template <class Key>
void warp_queue(const Job<Key>& job) {
    const unsigned blocks = blocks_for(job.n, kQueueThreads, kQueueBlocksPerSm);
    two_passes(job, blocks, [&](const auto* items, unsigned n, unsigned grid, Composite* next) {
        warp_queue_kernel<<<grid, kQueueThreads>>>(job, items, n, next);
        CUDA_CHECK_LAUNCH();
    });
}

// ---- One read --------------------------------------------------------------------------------

/// Blocks that a multiprocessor's registers must have room for: where its shared memory holds one
/// only, a block has all of them.
template <bool kDistinct, int kEach>
constexpr unsigned kBlocksBound = kDistinct&& kEach == kLeanEach ? 1 : kBlocksPerSm;

// one_read: 16-byte reads, the next tile on its way while this one is tested; candidates gather in
// shared memory; blocks publish their floors; the last block to finish merges, in the same launch.
// Removes: small reads, idle memory, the second launch, and any limit on k.
// Remains: the floor learns from the past only: what every block collects first is thrown away.
template <class Key, bool kDistinct, int kEach>
__global__ void __launch_bounds__(kThreads, kBlocksBound<kDistinct, kEach>)
    one_read_kernel(Job<Key> job) {
    extern __shared__ Composite slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kEach> set{slots, &state, job.k};
    start(set);
    set.forget_known();
    Tile<Key> tile;
    tile.load(job, first_base(job.n));
    __syncthreads();  // the set is empty
    stream(job, set, tile);
    Composite entries[kEach];
    if (!append_to_list(job, set, entries)) return;
    finish(job, set, [] { return Composite{0}; });
}

/// As many blocks as there are tiles, but no more than can be resident at once.
template <class Kernel>
unsigned resident_grid(Kernel kernel, std::size_t n, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             static_cast<int>(kThreads), bytes));
    return blocks_for(n, kTile, std::min(static_cast<unsigned>(per_sm), kBlocksPerSm));
}

template <class Key, bool kDistinct, int kEach>
void launch_one_read(const Job<Key>& job) {
    constexpr std::size_t kBytes = CandidateSet<kDistinct, kEach>::kBytes;
    static const unsigned most =
        resident_grid(one_read_kernel<Key, kDistinct, kEach>, kMaxN, kBytes);
    const unsigned grid = std::min(most, tiles_of(job.n));
    one_read_kernel<Key, kDistinct, kEach><<<grid, kThreads, kBytes>>>(job);
    CUDA_CHECK_LAUNCH();
}

static_assert(kFewK <= CandidateSet<true, kFewEach>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kManyEach>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kLeanEach>::kLimit);

/// Shared memory of a block with such a set.
template <bool kDistinct, int kEach>
constexpr std::size_t kBlockBytes = CandidateSet<kDistinct, kEach>::kBytes + sizeof(BlockState);

/// For more than kFewK: does a multiprocessor hold more blocks if a thread has kLeanEach slots and
/// not kManyEach? So it is where it has 64 KB of shared memory (compute capability 7.5).
template <bool kDistinct>
bool is_lean(const DeviceInfo& device) {
    const int many = blocks_held(device, kThreads, kBlockBytes<kDistinct, kManyEach>);
    const int lean = blocks_held(device, kThreads, kBlockBytes<kDistinct, kLeanEach>);
    const int wanted = static_cast<int>(kBlocksPerSm);
    return std::min(many, wanted) < std::min(lean, wanted);
}

/// Calls launch(distinct, each), both as std::integral_constant: the set that the job and the
/// device need.
template <class Key, class Launch>
void with_set(const Job<Key>& job, const Launch& launch) {
    const auto with_each = [&](auto distinct) {
        if (job.k <= kFewK) {
            launch(distinct, std::integral_constant<int, kFewEach>());
        } else if (is_lean<distinct>(device_info())) {
            launch(distinct, std::integral_constant<int, kLeanEach>());
        } else {
            launch(distinct, std::integral_constant<int, kManyEach>());
        }
    };
    if (job.distinct) {
        with_each(std::true_type());
    } else {
        with_each(std::false_type());
    }
}

template <class Key>
void one_read(const Job<Key>& job) {
    tutorial::require_aligned(job.keys, "one_read");
    with_set(job, [&](auto distinct, auto each) { launch_one_read<Key, distinct, each>(job); });
}

// ---- A floor before the first key ------------------------------------------------------------

// sample_floor: before the first key is tested, the grid takes a sample from all over the data, and
// agrees on a floor: the k-th largest of the best of each group of warps.
// Removes: the dependence on the order of the data, and most candidates.
// Remains: two grid-wide meetings at most, about as long as two launches; the last block's ticket.
template <class Key, int kEach>
__global__ void __launch_bounds__(kThreads, kBlocksBound<false, kEach>)
    sample_floor_kernel(Job<Key> job) {
    extern __shared__ Composite slots[];
    __shared__ BlockState state;
    const CandidateSet<false, kEach> set{slots, &state, job.k};
    const auto grid = cooperative_groups::this_grid();
    Composite* const sampled = job.scratch.bests;
    // The best that the groups find in all data tell a floor close to the result's last. Those of
    // the sample would not do: what one group sampled is another's candidate, and would count
    // twice.
    const unsigned groups = gridDim.x * set.kGroups;
    Composite* const streamed = sampled + groups;

    Sample<Key, kSampleVectors<kEach>> sample;
    sample.load(job);
    Tile<Key> tile;
    tile.load(job, first_base(job.n));  // on its way while the floor is found
    start(set);
    __syncthreads();  // the set is empty
    note_best(set, warp_largest(sample.best(job.flip, [](unsigned) { return false; })));
    publish(set, sampled);
    grid.sync();  // all groups have published
    Composite floor = grid_floor(set, sampled, groups);
    start_from(set, floor);
    stream(job, set, tile);
    publish(set, streamed);
    if constexpr (kEach != kFewEach) {
        // Many candidates: all blocks wait for the second floor, and append little to the list.
        grid.sync();  // all groups have published
        floor = grid_floor(set, streamed, groups);
        raise_floor(set, floor);
    }
    Composite entries[kEach];
    if (!append_to_list(job, set, entries)) return;
    finish(job, set, [&] {
        // Few candidates: the last block can as well sort them out by itself.
        return kEach == kFewEach ? grid_floor(set, streamed, groups) : 0;
    });
}

/// Where the sample's best are too few different values, it is searched again without them, so
/// often at most.
constexpr int kAttempts = 4;

/// sample_floor, every value once. One value may be the best of every group: then the sample is
/// searched again for other ones. Else as sample_floor_kernel.
template <class Key, int kEach>
__global__ void __launch_bounds__(kThreads, kBlocksBound<true, kEach>)
    sample_floor_distinct_kernel(Job<Key> job) {
    extern __shared__ Composite slots[];
    __shared__ BlockState state;
    const CandidateSet<true, kEach> set{slots, &state, job.k};
    const auto grid = cooperative_groups::this_grid();
    Composite* const bests = job.scratch.bests;
    const unsigned groups = gridDim.x * set.kGroups;
    Composite* const streamed = bests + 2 * groups;

    Tile<Key> tile;
    Composite floor = 0;
    unsigned least = 1;
    unsigned found = 1;
    for (int attempt = 0; floor == 0 && found >= least && attempt < kAttempts; ++attempt) {
        Sample<Key, kSampleVectors<kEach>> sample;
        sample.load(job);
        if (attempt == 0) {
            tile.load(job, first_base(job.n));  // on its way while the floor is found
            start(set);
            exclude_nothing(set);
            __syncthreads();  // nothing is excluded, and the set is empty
        }
        if (attempt == 1) least = max(job.k / 8, 1u);
        const Composite mine = sample.best(
            job.flip, [&](unsigned rank) { return attempt > 0 && is_excluded(set, rank); });
        // Two rounds take turns: a slow block may still read the one before.
        Composite* const round = bests + attempt % 2 * groups;
        note_best(set, warp_largest(mine));
        publish(set, round);
        grid.sync();  // all groups have published
        floor = grid_floor(set, round, groups, &found);
    }
    start_from(set, floor, floor == 0);
    stream(job, set, tile);
    publish(set, streamed);
    if constexpr (kEach != kFewEach) {
        exclude_nothing(set);
        grid.sync();  // all groups have published, and nothing is excluded
        floor = grid_floor(set, streamed, groups);
        raise_floor(set, floor);
    }
    Composite entries[kEach];
    if (!append_to_list(job, set, entries)) return;
    finish(job, set, [&] {
        if (kEach != kFewEach || state.few) return Composite{0};
        exclude_nothing(set);
        return grid_floor(set, streamed, groups);
    });
}

/// Where more of a thread's 16 keys are candidates, they may be sorted, or of few values, and
/// stream() knows what to do.
constexpr int kMaxAtOnce = 12;

/// Inserts the tile's candidates. `best`: of this thread's keys. All threads together.
template <class Key, class Set>
__device__ __forceinline__ void insert_reaching(const Job<Key>& job, const Set& set,
                                                const OneTile<Key>& tile, unsigned base,
                                                Composite best, Composite floor) {
    unsigned reaching = tile.reaching(job, base, rank_of(floor));
    const int count = __popc(reaching);
    if (!__syncthreads_or(count > kMaxAtOnce)) {
        bool twice = false;  // distinct: a value came again
        for (bool room = true; room && reaching != 0; reaching &= reaching - 1) {
            if (twice && __popc(reaching) > 4) break;  // few values here, too
            // With such a floor it is rare that a thread has two: these are read again.
            const unsigned at = base + tile.offset(__ffs(static_cast<int>(reaching)) - 1);
            const Composite candidate =
                count == 1 ? best : composite_of(job.keys[at], at, job.flip);
            if (candidate >= floor) room = set.insert(candidate, &twice);
        }
        if (threadIdx.x == 0) set.state->floor = floor;
        if (!__syncthreads_or(reaching != 0)) return;  // the set and its floor are complete
        set.clear();
    }
    start_from(set, floor);
    Tile<Key> again;
    again.load(job, base);
    stream(job, set, again);
}

/// sample_floor, where each block has one tile: the tiles are all the data, and no sample could be
/// better.
template <class Key, bool kDistinct, int kEach>
__global__ void __launch_bounds__(kThreads, kBlocksBound<kDistinct, kEach>)
    tiles_floor_kernel(Job<Key> job, Groups groups) {
    extern __shared__ Composite slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kEach> set{slots, &state, job.k};
    const unsigned base = first_base(job.n);
    OneTile<Key> tile;
    tile.load(job, base);
    start(set);
    if constexpr (kDistinct) exclude_nothing(set);
    __syncthreads();  // nothing is excluded, and the set is empty
    const Composite best = tile.best(job, base);
    publish_best(set, best, job.scratch.bests, groups);
    cooperative_groups::this_grid().sync();  // all groups have published
    const Composite floor = grid_floor(set, job.scratch.bests, groups.count);
    insert_reaching(job, set, tile, base, best, floor);
    Composite entries[kEach];
    if (!append_to_list(job, set, entries)) return;
    finish(job, set, [] { return Composite{0}; });
}

/// A cooperative launch promises that all blocks are resident, so that they can meet.
template <class... Parameters>
void launch_cooperative(void (*kernel)(Parameters...), unsigned blocks, std::size_t bytes,
                        Parameters... parameters) {
    void* arguments[] = {&parameters...};
    CUDA_CHECK(launch_cooperatively(kernel, dim3(blocks), dim3(kThreads), arguments, bytes));
}

/// divide(blocks, full): see groups_of. Of more keys than one tile a block the groups are of warps.
template <class Set, class Key, class Divide>
void launch_sample_floor(const Job<Key>& job, const Divide& divide) {
    constexpr bool kDistinct = Set::kOnce;
    constexpr int kEach = Set::kSlots / kThreads;
    constexpr std::size_t kBytes = Set::kBytes;
    const unsigned tiles = tiles_of(job.n);
    const auto of_tiles = tiles_floor_kernel<Key, kDistinct, kEach>;
    const auto of_more = [] {
        if constexpr (kDistinct)
            return sample_floor_distinct_kernel<Key, kEach>;
        else
            return sample_floor_kernel<Key, kEach>;
    }();
    static const unsigned most_tiles = resident_grid(of_tiles, kMaxN, kBytes);
    static const unsigned most = resident_grid(of_more, kMaxN, kBytes);
    // As many blocks as are resident at once: they wait for each other.
    if (tiles <= most_tiles) {
        const Groups groups = divide(tiles, std::max(job.n / kTile, 1u));
        return launch_cooperative(of_tiles, tiles, kBytes, job, groups);
    }
    launch_cooperative(of_more, std::min(most, tiles), kBytes, job);
}

template <class Set, class Key>
void sample_floor_with(const Job<Key>& job) {
    launch_sample_floor<Set>(
        job, [&](unsigned blocks, unsigned full) { return groups_of<Set>(job.k, blocks, full); });
}

template <class Key>
void sample_floor(const Job<Key>& job) {
    tutorial::require_aligned(job.keys, "sample_floor");
    with_set(job, [&](auto distinct, auto each) {
        sample_floor_with<CandidateSet<decltype(distinct)::value, decltype(each)::value>>(job);
    });
}

// ---- Any k -----------------------------------------------------------------------------------

// radix_select: the k-th largest is found digit by digit, 11 bits at a time, from a histogram of
// all keys' digits; then the keys that reach it are written, in the order of the data.
// Removes: any limit on k; all that depends on how many keys pass, since nobody compares with a
// threshold that is too low.
// Remains: up to four reads of the data, where one_read has one; and four grid-wide meetings.
template <class Key>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    radix_select_kernel(Job<Key> job, unsigned keys_each) {
    extern __shared__ Composite slots[];
    __shared__ BlockState state;
    __shared__ RadixState radix;
    const auto grid = cooperative_groups::this_grid();
    const unsigned begin = blockIdx.x * keys_each;
    const unsigned end = job.n - begin > keys_each ? begin + keys_each : job.n;
    Control* const control = job.scratch.control;

    if (threadIdx.x == 0) {
        radix.greater = 0;
        radix.greater_before = 0;
        radix.equal_before = 0;
    }
    unsigned left = job.k;  // of the answer, with the digits `prefix` or higher ones
    unsigned prefix = 0;    // the digits of the k-th, so far
    unsigned pass = 0;
    bool whole = false;  // all keys with these digits are in the answer
    for (; pass < kPasses && !whole; ++pass) {
        count_digits(job, begin, end, pass, prefix, radix);
        for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) {
            if (radix.counts[i] != 0) atomicAdd(&control->digits[pass][i], radix.counts[i]);
        }
        grid.sync();  // all blocks have counted
        find_digit(control->digits[pass], left, radix);
        left -= min(left, radix.above);
        prefix = prefix << (pass == 2 ? 10 : 11) | radix.digit;
        whole = radix.inside <= left;
    }
    // Rank and number of those that are equal to the k-th, or to its digits, filled with zeros.
    const Answer answer = {max(prefix << digit_shift(pass - 1), Order<Key>::kLeastRank),
                           whole ? kAllTies : left, 0};
    const unsigned inside = radix.counts[radix.digit];
    __syncthreads();  // all keys of this block above the digits are counted
    const unsigned greater = radix.greater + (whole ? inside : 0);
    const unsigned equal = whole ? 0 : inside;
    Composite* const of_blocks = job.scratch.bests;  // two counts a block in one word
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = Composite{greater} << 32 | equal;
    grid.sync();  // all blocks have said how many they have, and read all digits

    if (blockIdx.x == 0) {
        unsigned* const digits = control->digits[0];
        for (unsigned i = threadIdx.x; i < kPasses * kDigits; i += kThreads) digits[i] = 0;
    }
    unsigned greater_each = 0;
    unsigned equal_each = 0;
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += kThreads) {
        const Composite counts = __ldcg(&of_blocks[block]);
        greater_each += static_cast<unsigned>(counts >> 32);
        equal_each += static_cast<unsigned>(counts);
    }
    add_of_warp(greater_each, &radix.greater_before);
    add_of_warp(equal_each, &radix.equal_before);
    __syncthreads();  // all warps have added
    const unsigned greater_before = radix.greater_before;
    const unsigned equal_before = min(radix.equal_before, whole ? 0 : left);
    const unsigned first = greater_before + equal_before;
    const unsigned ties = whole ? kAllTies : left - equal_before;
    const unsigned count = greater + min(equal, ties);
    const bool in_order = job.k > kMaxK;  // of the data
    write_in_order(job, begin, end, answer, ties, count, radix,
                   [&](unsigned place, unsigned rank, unsigned index) {
                       const Composite item = make_composite(rank, index);
                       if (in_order) {
                           job.result.write(first + place, item, job.flip);
                       } else {
                           job.scratch.list[first + place] = item;
                       }
                   });
    if (in_order) {
        if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *job.result.count = first + count;
        return;
    }
    // Few: the last block sorts them.
    Composite* const length = of_blocks + gridDim.x;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *length = first + count;
    grid.sync();  // the list and its length are written
    if (blockIdx.x != 0) return;
    const CandidateSet<false, kManyEach> set{slots, &state, job.k};
    const auto listed = static_cast<unsigned>(__ldcg(length));
    for (unsigned i = threadIdx.x; i < listed; i += kThreads) {
        slots[i] = __ldcg(&job.scratch.list[i]);
    }
    if (threadIdx.x == 0) state.candidates = listed;
    __syncthreads();  // the set is complete
    set.write_sorted(job.result, job.flip);
}

template <class Key>
void radix_select(const Job<Key>& job) {
    tutorial::require_aligned(job.keys, "radix_select");
    constexpr std::size_t kBytes = CandidateSet<false, kManyEach>::kBytes;
    static const unsigned most = resident_grid(radix_select_kernel<Key>, kMaxN, kBytes);
    // A part is a whole number of rows, so that its vectors are aligned.
    const std::size_t rows = divide_up(divide_up(job.n, kRow), most);
    const auto keys_each = static_cast<unsigned>(rows * kRow);
    const auto blocks = static_cast<unsigned>(divide_up(job.n, keys_each));
    // Only few are sorted, in shared memory.
    const std::size_t bytes = job.k > kMaxK ? 0 : kBytes;
    launch_cooperative(radix_select_kernel<Key>, blocks, bytes, job, keys_each);
}

// ---- Small k ---------------------------------------------------------------------------------

// best: each warp reads its cell, or a quarter of one. Of each cell the best is published; block 0
// reads the k best cells again. Only for small k; for others, see best().
// Removes: the sample, the meeting, the cooperative launch; the list of all blocks, and its ticket.
// Remains: the time that the memory takes to deliver the bytes; for block 0 two trips to it, when
// the others are done.
// Block 0 waits for blocks that may not have started. No other block waits, so they all finish in
// whatever room block 0 leaves: so it is on every GPU we know, but CUDA does not promise it.
template <class Key, unsigned kReads, unsigned kWarpsOfCell, bool kReadOnce>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) best_cells_kernel(Job<Key> job) {
    using Set = CandidateSet<false, kFewEach>;
    constexpr unsigned kKeys = kWarpsOfCell * kReads * kRowOfCell;  // of a cell
    constexpr unsigned kCells = kWarps / kWarpsOfCell;              // of a block
    __shared__ Bests parts[kWarps];
    __shared__ Composite slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ Collector collector;
    const unsigned warp = threadIdx.x / 32;
    const unsigned base = (blockIdx.x * kWarps + warp) * kReads * kRowOfCell;
    if constexpr (kWarpsOfCell == 1) {
        const unsigned cell = blockIdx.x * kCells + warp;
        Composite* const place = &job.scratch.words[place_of_word(cell)];
        const unsigned mine = best_rank_of_lane<kReads, kReadOnce>(job, base, [&] {
            // The line of this cell's word may be in no cache: it comes while the keys come.
            if (kReads < kMaxReads && threadIdx.x % 32 == 0) fetch(place);
        });
        const Composite word = word_of_cell(job, cell, kKeys, bests_of_warp<1>(mine));
        if (threadIdx.x % 32 == 0) write(place, word);
    } else {
        const unsigned mine = best_rank_of_lane<kReads, kReadOnce>(job, base, [] {});
        const Bests bests = bests_of_warp<kWarpsOfCell>(mine);
        if (threadIdx.x % 32 == 0) parts[warp] = bests;
        __syncthreads();  // all warps' bests are known
        if (threadIdx.x < kCells) {
            const unsigned first = threadIdx.x * kWarpsOfCell;
            Bests all = parts[first];
#pragma unroll
            for (unsigned i = 1; i < kWarpsOfCell; ++i) all = all.with(parts[first + i]);
            const unsigned cell = blockIdx.x * kCells + threadIdx.x;
            write(&job.scratch.words[place_of_word(cell)], word_of_cell(job, cell, kKeys, all));
        }
    }
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) {
        state.floor = 0;
        state.candidates = 0;
        collector.meet = 0;
        collector.items = 0;
        collector.wholes = 0;
    }
    collect_cells<kReads, kWarpsOfCell>(job, Set{slots, &state, job.k}, collector);
}

/// How n keys are cut into cells: as chapter 3 cuts its tiles.
struct Cut {
    unsigned reads;          ///< vectors a thread
    unsigned blocks;         ///< each has kWarps / warps_of_cell cells
    unsigned warps_of_cell;  ///< the fewer cells, the fewer words for block 0
};

Cut cut_into_cells(std::size_t n) {
    constexpr unsigned kFewBlocks = 32;
    constexpr unsigned kMoreBlocks = 128;
    constexpr unsigned kManyBlocks = 256;
    const auto blocks = [&](unsigned reads) {
        return static_cast<unsigned>(
            divide_up(std::max<std::size_t>(n, 1), std::size_t{kThreads} * 4 * reads));
    };
    // Few keys: enough blocks to spread them. Many: cells so large that two blocks keep a
    // multiprocessor's memory busy.
    unsigned reads = 1;
    while (reads < kMaxReads / 2 && blocks(reads) > kFewBlocks) reads *= 2;
    if (blocks(reads) > kMoreBlocks) reads = kMaxReads;
    return {reads, blocks(reads), blocks(reads) > kManyBlocks ? kMaxWarpsOfCell : 1};
}

template <class Key>
void launch_cells(const Job<Key>& job) {
    const Cut cut = cut_into_cells(job.n);
    const bool beyond_cache = job.n * sizeof(Key) > device_info().l2_bytes;
    auto* kernel = beyond_cache ? best_cells_kernel<Key, kMaxReads, kMaxWarpsOfCell, true>
                                : best_cells_kernel<Key, kMaxReads, kMaxWarpsOfCell, false>;
    if (cut.warps_of_cell == 1) {
        kernel = best_cells_kernel<Key, kMaxReads, 1, false>;
        if (cut.reads == 1) kernel = best_cells_kernel<Key, 1, 1, false>;
        if (cut.reads == 2) kernel = best_cells_kernel<Key, 2, 1, false>;
        if (cut.reads == 4) kernel = best_cells_kernel<Key, 4, 1, false>;
    }
    kernel<<<cut.blocks, kThreads>>>(job);
    CUDA_CHECK_LAUNCH();
}

// ---- Few keys --------------------------------------------------------------------------------

// best, for few keys: a block has one tile, and a floor of its own. The last block merges.
template <class Key, unsigned kGroups>
__global__ void __launch_bounds__(kThreads, 1) best_few_kernel(Job<Key> job) {
    using Set = CandidateSet<false, kFewEach>;
    static_assert(kFewTiles * kFewK <= Set::kSlots);
    constexpr unsigned kMax = 2 * kGroups;  // candidates, usually
    __shared__ Composite slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ alignas(16) unsigned bests[kGroups];
    __shared__ unsigned shared_floor;
    const Set set{slots, &state, job.k};
    const unsigned base = base_of(blockIdx.x, job.n);
    if (threadIdx.x == 0) {
        state.candidates = 0;
        shared_floor = 0;
    }
    OneTile<Key> tile;
    tile.load(job, base);
    const unsigned floor =
        floor_of_groups<kGroups>(tile.best_rank(job), job.k, bests, shared_floor);
    const auto add = [&](unsigned which) {  // one bit a key
        if (which == 0) return;
        unsigned place = atomicAdd(&state.candidates, __popc(which));
#pragma unroll
        for (unsigned i = 0; i < OneTile<Key>::kKeys; ++i) {
            if ((which >> i & 1) == 0) continue;
            if (place >= Set::kSlots) return;
            slots[place++] = make_composite(tile.rank(job, i), base + tile.offset(i));
        }
    };
    unsigned reaching = tile.reaching(job, base, floor);
    add(reaching);
    __syncthreads();  // all candidates are in, if there is room
    unsigned candidates = state.candidates;
    if (candidates > Set::kSlots) {
        // Many keys are equal: of those at the floor the first are enough, found the same way.
        __syncthreads();  // all threads know
        if (threadIdx.x == 0) state.candidates = shared_floor = 0;
        unsigned equal = reaching & ~tile.reaching(job, base, floor + 1);
        if (floor == ~0u) equal = reaching;
        const unsigned first = equal != 0 ? ~tile.first_of(job, floor) : 0;
        const unsigned last = ~floor_of_groups<kGroups>(first, job.k, bests, shared_floor);
#pragma unroll
        for (unsigned i = 0; i < OneTile<Key>::kKeys; ++i) {
            if ((equal >> i & 1) != 0 && tile.offset(i) > last) reaching &= ~(1u << i);
        }
        add(reaching);
        __syncthreads();  // all candidates are in, if there is room
        candidates = state.candidates;
    }
    if (candidates > kMax) {
        __syncthreads();  // all threads know
        if (candidates > Set::kSlots) {
            start(set);
            Tile<Key> again;
            again.load(job, base);
            start_from(set, Composite{floor} << 32);
            stream(job, set, again);
        } else if (threadIdx.x == 0) {
            state.floor = 0;
        }
        set.keep_best();
        candidates = min(state.candidates, job.k);
    }
    const unsigned count = min(candidates, job.k);
    if (gridDim.x == 1) {
        in_order<kMax>(slots, candidates, [&](unsigned place, Composite candidate) {
            if (place < job.k) job.result.write(place, candidate, job.flip);
        });
        if (threadIdx.x == 0) {
            *job.result.count = count;
            job.scratch.control->floor = 0;
        }
        return;
    }
    Composite* const list = job.scratch.list;
    in_order<kMax>(slots, candidates, [&](unsigned place, Composite candidate) {
        if (place < job.k) list[blockIdx.x * job.k + place] = candidate;
    });
    if (threadIdx.x >= count && threadIdx.x < job.k) list[blockIdx.x * job.k + threadIdx.x] = 0;
    __syncthreads();  // the block's list is written
    if (threadIdx.x == 0) {
        __threadfence();  // release: it is visible before the ticket is
        const unsigned long long before = atomicAdd(
            &job.scratch.control->progress, static_cast<unsigned long long>(count) << 32 | 1);
        __threadfence();  // acquire: who sees a block's ticket sees its list
        state.last = static_cast<unsigned>(before) == gridDim.x - 1;
        state.listed = static_cast<unsigned>(before >> 32) + count;
    }
    __syncthreads();  // all threads know
    if (!state.last) return;
    const unsigned entries = gridDim.x * job.k;
    for (unsigned i = threadIdx.x; i < entries; i += kThreads) slots[i] = __ldcg(&list[i]);
    __syncthreads();  // all lists are here
    // Two threads count for one entry, each in every other list.
    for (unsigned first = 0; first < entries; first += kThreads / 2) {
        const unsigned at = first + threadIdx.x / 2;
        const Composite entry = at < entries ? slots[at] : 0;
        unsigned place = 0;
#pragma unroll
        for (unsigned i = 0; i < kFewTiles / 2; ++i) {
            const unsigned from = 2 * i + threadIdx.x % 2;
            if (from < gridDim.x) place += better_in(slots + from * job.k, job.k, entry);
        }
        place += __shfl_xor_sync(kFullMask, place, 1);
        if (threadIdx.x % 2 == 0 && entry != 0 && place < job.k) {
            job.result.write(place, entry, job.flip);
        }
    }
    if (threadIdx.x == 0) {
        *job.result.count = min(state.listed, job.k);
        job.scratch.control->floor = 0;
        job.scratch.control->progress = 0;
    }
}

template <class Key>
void launch_few(const Job<Key>& job) {
    const auto kernel = job.k <= kFewerK ? best_few_kernel<Key, 64> : best_few_kernel<Key, 128>;
    kernel<<<tiles_of(job.n), kThreads>>>(job);
    CUDA_CHECK_LAUNCH();
}

/// The fewer keys there are for each of the k, the lower is sample_floor's floor, and the more
/// candidates there are; radix_select has none. (A small GPU may have room for fewer blocks than
/// there are tiles. That is not asked: of so many keys radix_select's several reads are worse.)
bool is_worth_a_floor(unsigned k, unsigned n, bool distinct) {
    if (k <= kFewK) return true;
    return distinct ? n / k >= 32 : n / k >= 64 && n >= 2 * kTile;
}

template <class Key>
void best(const Job<Key>& job) {
    if (job.k > kMaxK) return radix_select(job);
    tutorial::require_aligned(job.keys, "best");
    if (!job.distinct && job.k <= kFewerK && tiles_of(job.n) > 1) return launch_cells(job);
    if (!job.distinct && job.k <= kFewK && tiles_of(job.n) <= kFewTiles) return launch_few(job);
    if (is_worth_a_floor(job.k, job.n, job.distinct)) return sample_floor(job);
    return job.distinct ? one_read(job) : radix_select(job);
}

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<TopK<Key>>>& stages() {
    static const std::vector<Stage<TopK<Key>>> table = {
        {{"insert", "a sorted list a thread, merged by the block"},
         {insert<Key>, kMaxListK, kMaxListK}},
        {{"parallel_output", "all threads write the block's list"},
         {parallel_output<Key>, kMaxListK, kMaxListK}},
        {{"passes", "more launches, so that the last is small"},
         {passes<Key>, kMaxListK, kMaxListK}},
        {{"threshold", "one list per block; most keys fail one test"},
         {threshold<Key>, kMaxListK, kMaxListK}},
        {{"warp_queue", "one queue per warp, in registers"},
         {warp_queue<Key>, kMaxListK, kMaxListK}},
        {{"one_read", "16-byte reads, shared floors, one launch"}, {one_read<Key>, kMaxK, kMaxK}},
        {{"sample_floor", "a floor from a sample before the first key"},
         {sample_floor<Key>, kMaxK, kMaxK}},
        {{"radix_select", "the k-th digit by digit, any k"}, {radix_select<Key>, kMaxN, 0}},
        {{"best", "read again only what may hold the answer"}, {best<Key>, kMaxN, kMaxK}},
    };
    return table;
}

ScratchSizes scratch_sizes(unsigned k, std::size_t n) {
    const std::size_t lists = std::max(kListBlocksPerSm, kQueueBlocksPerSm) * k;
    const std::size_t appended = kBlocksPerSm * (2 * k + 16);  // see append_to_list
    const Cut cut = cut_into_cells(n);
    return {std::max(lists, appended) * sm_count(),
            // Groups of warps; or of fewer threads, where those are too few: see groups_of.
            3 * std::max(std::size_t{kBlocksPerSm} * sm_count() * kWarps,
                         std::size_t{16} * k + kThreads),
            divide_up(cut.blocks * (kWarps / cut.warps_of_cell), kThreads) * kThreads};
}

template <class Key>
std::unique_ptr<Experiment> experiment(const Options& options, const Question& question) {
    const Parts<Key> parts = {stages<Key>(), scratch_sizes,    reference<Key>,
                              insert_value,  threshold_blocks, kThresholdThreads};
    return std::make_unique<TopKExperiment<Key>>(options, question, parts);
}

}  // namespace

int main(int argc, char** argv) {
    Question question;
    return Chapter("ch06_topk", "The k largest of N keys", "key")
        .sizes(1000000, std::size_t{1} << 17, kMaxN, std::size_t{1} << 22)
        .number("--k", "how many", question.k, 0, kMaxN)
        .flag("--distinct", "every value once; else duplicates count", question.distinct)
        .flag("--smallest", "the smallest instead of the largest", question.smallest)
        .flag("--index", "also the index of each, of equal keys the lowest", question.index)
        .choice("--type", "of the keys", {"int", "float"}, question.type)
        .choice("--adversarial", "an order that is bad for some stage, instead of --input",
                adversarial_kinds(), question.adversarial)
        .run(argc, argv, [&](const Options& options) -> std::unique_ptr<Experiment> {
            return question.type == "float" ? experiment<float>(options, question)
                                            : experiment<int>(options, question);
        });
}
