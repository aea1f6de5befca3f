// Chapter 6: the k largest of N keys, with one read of the data.
//
// You will learn: to throw data away early (a threshold); to keep a sorted queue in a warp's
// registers; to let blocks share what they know without waiting; to find a threshold before the
// first key is looked at, so that no order of the data is a bad one; and what "the 20 largest"
// leaves open: duplicates, ties, NaN.
//
// Stages, made by ./tutorial docs from the table below:
//   1 insert            a sorted list per thread, merged by the block
//   2 parallel_output   all threads write the block's list
//   3 multi_pass        more launches, so that the last is small
//   4 threshold         one list per block; most keys fail one test
//   5 warp_queue        one queue per warp, in registers
//   6 vector_queue      16-byte reads, one test for four keys
//   7 shared_threshold  all warps use the highest threshold so far
//   8 one_launch        the last block merges the lists
//   9 one_read          larger k, and no read waits for a test
//  10 sample_threshold  a threshold from a sample before the first key
//  11 radix_select      the k-th digit by digit, any k
//  12 best              read again only what may hold the answer
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch06_topk
//   nvcc -std=c++17 -O3 -arch=native -I. ch06_topk/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch06
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../common/harness/alignment.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/device_info.hpp"
#include "../common/harness/sort_in_parts.hpp"

namespace topk {

using namespace tutorial;

// ---- A key and its index in one integer ------------------------------------------------------
//
// Read the stages with ints in mind, the largest first. All other questions are settled here:
// - A key becomes a radix key: its bits, changed so that unsigned order is key order. An int's
//   sign bit is inverted; of a negative float all bits are, of other floats the sign bit.
// - order_mask inverts all of them if the smallest are wanted (--smallest). So the larger radix key
//   is always the better one.
// - A KeyIndex has the radix key in its upper half and the complement of the key's index in the
//   lower one. Comparing two of these integers decides everything: of equal keys the one with the
//   lower index is the larger (--index). --distinct keeps the largest of each radix key.
// - 0 is the KeyIndex of no key and stands for "nothing". NaN is not a value, and becomes 0.

using KeyIndex = unsigned long long;

template <class Key>
struct KeyOrder;

template <>
struct KeyOrder<int> {
    static constexpr unsigned kMinRadixKey = 0;  ///< what is below is not a value

    __host__ __device__ static unsigned order_mask(bool largest) {
        return largest ? 0x80000000u : 0x7FFFFFFFu;
    }
    __host__ __device__ static unsigned radix_key(int key, unsigned order_mask) {
        return static_cast<unsigned>(key) ^ order_mask;
    }
    __host__ __device__ static int key(unsigned radix_key, unsigned order_mask) {
        return static_cast<int>(radix_key ^ order_mask);
    }
    __host__ __device__ static bool is_value(unsigned /*radix_key*/) { return true; }
};

/// -inf < ... < -0 < +0 < ... < inf. NaN has radix key 0 in both directions.
template <>
struct KeyOrder<float> {
    static constexpr unsigned kMinRadixKey = 1;

    __host__ __device__ static unsigned order_mask(bool largest) {
        return largest ? 0u : 0xFFFFFFFFu;
    }
    __host__ __device__ static unsigned radix_key(float key, unsigned order_mask) {
        std::uint32_t bits = 0;
        memcpy(&bits, &key, sizeof bits);
        const unsigned turn = (bits >> 31) != 0 ? 0xFFFFFFFFu : 0x80000000u;
        return key != key ? 0u : bits ^ turn ^ order_mask;
    }
    __host__ __device__ static float key(unsigned radix_key, unsigned order_mask) {
        const unsigned ordered = radix_key ^ order_mask;
        const std::uint32_t bits = (ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered;
        float key = 0;
        memcpy(&key, &bits, sizeof key);
        return key;
    }
    __host__ __device__ static bool is_value(unsigned radix_key) {
        return radix_key >= kMinRadixKey;
    }
};

__host__ __device__ inline KeyIndex make_key_index(unsigned radix_key, unsigned index) {
    return static_cast<KeyIndex>(radix_key) << 32 | static_cast<unsigned>(~index);
}
__host__ __device__ inline unsigned radix_key_of(KeyIndex item) {
    return static_cast<unsigned>(item >> 32);
}
__host__ __device__ inline unsigned index_of(KeyIndex item) { return ~static_cast<unsigned>(item); }

/// The KeyIndex of key number `index`, or 0 if the key is not a value.
template <class Key>
__host__ __device__ KeyIndex key_index_of(Key key, unsigned index, unsigned order_mask) {
    const unsigned radix_key = KeyOrder<Key>::radix_key(key, order_mask);
    return KeyOrder<Key>::is_value(radix_key) ? make_key_index(radix_key, index) : 0;
}

/// A KeyIndex stays as it is: a pass may read keys, or what an earlier pass left of them.
__host__ __device__ inline KeyIndex key_index_of(KeyIndex item, unsigned, unsigned) { return item; }

// ---- What a launcher gets --------------------------------------------------------------------

/// Up to this k the answer is in order, the best first. Above it is in the order of the data:
/// putting half of the data in order would be sorting them (chapter 5).
constexpr unsigned kMaxK = 1024;

/// Indices have 32 bits; the rest is room, so that the end of the last tile has an index too.
constexpr std::size_t kMaxN = 0xFFFF0000u;

/// The answer: the best first.
template <class Key>
struct TopKResult {
    Key* keys;          ///< k of them, of which *count are written
    unsigned* indices;  ///< where each key is, the same way; may be nullptr
    unsigned* count;    ///< how many there are: fewer than k if the data have no more

    /// Entry i of the answer.
    __device__ void write(unsigned i, KeyIndex item, unsigned order_mask) const {
        keys[i] = KeyOrder<Key>::key(radix_key_of(item), order_mask);
        if (indices != nullptr) indices[i] = index_of(item);
    }
};

constexpr unsigned kDigits = 2048;  ///< of 11 bits, as radix_select counts them
constexpr unsigned kBests = 4096;   ///< places where sample_threshold's groups publish

/// What the blocks of one launch share. All 0 between launches: each launch clears what it uses.
struct Control {
    KeyIndex threshold;           ///< the highest that a block has found
    unsigned long long progress;  ///< blocks that have finished; above bit 32, KeyIndexes listed
    unsigned taken;               ///< tiles that blocks have taken, beyond their first two
    alignas(16) unsigned digits[3][kDigits];  ///< of radix_select: keys with that digit
    unsigned bests[2][kBests];                ///< of sample_threshold: the groups' best radix keys
};

/// Scratch memory on the device. Its size: see scratch_sizes().
struct Scratch {
    KeyIndex* list;       ///< what blocks hand to the next pass, or to the last block
    KeyIndex* next_list;  ///< the same again, where a pass reads one and writes the other
    KeyIndex* summaries;  ///< one for each segment: best. All 0 between launches
    Control* control;
};

/// How many entries each buffer of Scratch must hold.
struct ScratchSizes {
    std::size_t list, summaries;
    std::size_t all() const { return 2 * list + summaries; }
};

template <class Key>
struct TopKParams {
    const Key* keys;  ///< n keys; 16-byte aligned
    unsigned n;
    unsigned k;           ///< at least 1, and no more than the stage takes
    unsigned order_mask;  ///< see KeyOrder
    bool distinct;        ///< every value once
    Scratch scratch;
    TopKResult<Key> result;
};

/// A launcher in the table, and the largest k that it takes.
template <class Key>
struct TopK {
    void (*launch)(const TopKParams<Key>& params);
    unsigned max_k;
    unsigned max_k_distinct = 0;  ///< with --distinct; 0: it does not take that
    unsigned limit(bool distinct) const { return distinct ? max_k_distinct : max_k; }
};

inline unsigned sm_count() { return static_cast<unsigned>(device_info().sm_count); }

/// Enough blocks for n items, but at most `per_sm` for each multiprocessor.
inline unsigned blocks_for(std::size_t n, unsigned items_per_block, unsigned per_sm) {
    return static_cast<unsigned>(std::min<std::size_t>(divide_up<std::size_t>(n, items_per_block),
                                                       std::size_t{per_sm} * sm_count()));
}

}  // namespace topk

namespace {

using namespace topk;

// ---- The reference ---------------------------------------------------------------------------

/// The k best, best first; all of them if there are fewer. Distinct: every value once, with its
/// lowest index.
template <class Key>
std::vector<KeyIndex> reference(const std::vector<Key>& keys, unsigned k, unsigned order_mask,
                                bool distinct) {
    std::vector<KeyIndex> best;
    KeyIndex threshold = 0;  // what is below is not among the k best
    const auto keep_best = [&] {
        sort_in_parts(best, std::greater<>());
        const auto same = [](KeyIndex a, KeyIndex b) { return radix_key_of(a) == radix_key_of(b); };
        if (distinct) best.erase(std::unique(best.begin(), best.end(), same), best.end());
        if (best.size() > k) best.resize(k);
        if (best.size() == k && k > 0) threshold = best.back();
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const KeyIndex item = key_index_of(keys[i], static_cast<unsigned>(i), order_mask);
        if (item == 0 || item < threshold) continue;
        best.push_back(item);
        if (best.size() >= std::size_t{2} * k + 1000) keep_best();
    }
    keep_best();
    return best;
}

// ---- The exercise's way: lists ---------------------------------------------------------------

/// Up to this k the ladder's stages work: they keep k items per thread, or one per lane.
constexpr unsigned kMaxListK = 32;

/// Puts `item` into the descending list top[0..k) if it belongs there; the last one falls out.
/// 0 is an empty place. Distinct: of equal values the one with the lower index stays. Returns
/// whether the list changed.
__host__ __device__ bool insert_value(KeyIndex* top, unsigned k, KeyIndex item, bool distinct) {
    if (item <= top[k - 1]) return false;
    unsigned at = k - 1;  // what is here is overwritten
    if (distinct) {
        for (unsigned i = 0; i < k && top[i] != 0; ++i) {
            if (radix_key_of(top[i]) != radix_key_of(item)) continue;
            if (top[i] >= item) return false;
            at = i;
        }
    }
    for (; at > 0 && top[at - 1] < item; --at) top[at] = top[at - 1];
    top[at] = item;
    return true;
}

constexpr unsigned kListThreads = 128;  // 32 items of 8 bytes each: 32 KB of shared memory
constexpr unsigned kListBlocksPerSm = 8;

std::size_t list_bytes(unsigned k) { return kListThreads * k * sizeof(KeyIndex); }

/// This thread's k best of the n items, every (threads of the grid)-th, to its list in shared
/// memory. Item: a key, or what an earlier pass has left of the keys, a KeyIndex.
template <class Item>
__device__ void collect(const Item* items, unsigned n, unsigned k, unsigned order_mask,
                        bool distinct, KeyIndex* mine) {
    KeyIndex top[kMaxListK];
    for (unsigned i = 0; i < k; ++i) top[i] = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        const KeyIndex item = key_index_of(items[i], static_cast<unsigned>(i), order_mask);
        insert_value(top, k, item, distinct);
    }
    for (unsigned i = 0; i < k; ++i) mine[i] = top[i];
}

/// Merges the threads' lists into the first: half of the threads insert the other half's, then a
/// quarter, and so on.
__device__ void merge_lists(KeyIndex* lists, unsigned k, bool distinct) {
    KeyIndex* const mine = lists + threadIdx.x * k;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the lists of the level before are complete
        if (threadIdx.x >= half) continue;
        const KeyIndex* const other = mine + half * k;
        for (unsigned i = 0; i < k; ++i) insert_value(mine, k, other[i], distinct);
    }
    __syncthreads();  // the first list is complete
}

/// The entries first, first + step, ... of the block's descending list of k, of which some may be
/// empty (0): to its part of `next`, the items of the next pass; in the last pass, where `next` is
/// nullptr, to the answer.
template <class Key>
__device__ void write_list(const KeyIndex* list, unsigned first, unsigned step, unsigned k,
                           unsigned order_mask, KeyIndex* next, const TopKResult<Key>& result) {
    if (next != nullptr) {
        for (unsigned i = first; i < k; i += step) next[blockIdx.x * k + i] = list[i];
        return;
    }
    if (first == 0 && list[0] == 0) *result.count = 0;
    for (unsigned i = first; i < k && list[i] != 0; i += step) {
        result.write(i, list[i], order_mask);
        if (i + 1 == k || list[i + 1] == 0) *result.count = i + 1;
    }
}

// insert: every thread keeps its own sorted k best; a block merges them; a second launch, of one
// block, merges the blocks'.
// Removes: (the starting point).
// Remains: lists indexed at run time live in slow local memory; every key is compared with its own
// thread's k-th only; one thread writes the block's list; the last block has thousands of items.
template <class Key, class Item>
__global__ void insert_kernel(const Item* items, unsigned n, unsigned k, unsigned order_mask,
                              bool distinct, KeyIndex* next, TopKResult<Key> result) {
    extern __shared__ KeyIndex lists[];
    collect(items, n, k, order_mask, distinct, lists + threadIdx.x * k);
    merge_lists(lists, k, distinct);
    if (threadIdx.x == 0) write_list(lists, 0, 1, k, order_mask, next, result);
}

template <class Key>
void insert(const TopKParams<Key>& p) {
    const unsigned blocks = blocks_for(p.n, kListThreads, kListBlocksPerSm);
    KeyIndex* const list = blocks > 1 ? p.scratch.list : nullptr;
    insert_kernel<<<blocks, kListThreads, list_bytes(p.k)>>>(p.keys, p.n, p.k, p.order_mask,
                                                             p.distinct, list, p.result);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    insert_kernel<<<1, kListThreads, list_bytes(p.k)>>>(list, blocks * p.k, p.k, p.order_mask,
                                                        p.distinct, nullptr, p.result);
    CUDA_CHECK_LAUNCH();
}

// parallel_output: the block's list is written by all its threads.
// Removes: k writes one after the other.
// Remains: everything else; the text measures how little this was.
template <class Key, class Item>
__global__ void parallel_output_kernel(const Item* items, unsigned n, unsigned k,
                                       unsigned order_mask, bool distinct, KeyIndex* next,
                                       TopKResult<Key> result) {
    extern __shared__ KeyIndex lists[];
    collect(items, n, k, order_mask, distinct, lists + threadIdx.x * k);
    merge_lists(lists, k, distinct);
    write_list(lists, threadIdx.x, blockDim.x, k, order_mask, next, result);
}

template <class Key>
void parallel_output(const TopKParams<Key>& p) {
    const unsigned blocks = blocks_for(p.n, kListThreads, kListBlocksPerSm);
    KeyIndex* const list = blocks > 1 ? p.scratch.list : nullptr;
    parallel_output_kernel<<<blocks, kListThreads, list_bytes(p.k)>>>(
        p.keys, p.n, p.k, p.order_mask, p.distinct, list, p.result);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    parallel_output_kernel<<<1, kListThreads, list_bytes(p.k)>>>(
        list, blocks * p.k, p.k, p.order_mask, p.distinct, nullptr, p.result);
    CUDA_CHECK_LAUNCH();
}

// multi_pass: parallel_output's kernel, until the last pass has no more items than threads.
// Removes: the long work of the last block.
// Remains: a launch for each pass; and the first, which takes most of the time.
template <class Key>
void multi_pass(const TopKParams<Key>& p) {
    unsigned blocks = blocks_for(p.n, kListThreads, kListBlocksPerSm);
    KeyIndex* list = p.scratch.list;
    KeyIndex* next = p.scratch.next_list;
    parallel_output_kernel<<<blocks, kListThreads, list_bytes(p.k)>>>(
        p.keys, p.n, p.k, p.order_mask, p.distinct, blocks > 1 ? list : nullptr, p.result);
    CUDA_CHECK_LAUNCH();
    while (blocks > 1) {
        const unsigned items = blocks * p.k;
        blocks = divide_up(items, kListThreads);
        parallel_output_kernel<<<blocks, kListThreads, list_bytes(p.k)>>>(
            list, items, p.k, p.order_mask, p.distinct, blocks > 1 ? next : nullptr, p.result);
        CUDA_CHECK_LAUNCH();
        std::swap(list, next);
    }
}

// ---- One list per block, one queue per warp --------------------------------------------------

constexpr unsigned kThresholdThreads = 256;
constexpr unsigned kThresholdBlocksPerSm = 2;

// threshold: one list per block; a key is compared with its k-th, and hardly any passes.
// Removes: the threads' lists and their merging. Of n keys in random order about k(1 + ln(n/k))
// pass.
// Remains: two barriers for each key that does; at first every key does; while one thread inserts,
// the others wait.
template <class Key, class Item>
__global__ void threshold_kernel(const Item* items, unsigned n, unsigned k, unsigned order_mask,
                                 bool distinct, KeyIndex* next, TopKResult<Key> result) {
    __shared__ KeyIndex top[kMaxListK];
    __shared__ KeyIndex waiting[kThresholdThreads];
    __shared__ unsigned count;
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) top[i] = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();  // the list is empty
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x; first < n;
         first += threads) {
        const std::size_t i = first + threadIdx.x;
        const KeyIndex item =
            i < n ? key_index_of(items[i], static_cast<unsigned>(i), order_mask) : 0;
        const bool passes = item > top[k - 1];
        if (!__syncthreads_or(passes)) continue;
        if (passes) waiting[atomicAdd(&count, 1u)] = item;
        __syncthreads();  // all that pass are waiting
        if (threadIdx.x == 0) {
            for (unsigned w = 0; w < count; ++w) insert_value(top, k, waiting[w], distinct);
            count = 0;
        }
        __syncthreads();  // the list is complete again
    }
    __syncthreads();  // also for a block that had nothing to do
    write_list(top, threadIdx.x, blockDim.x, k, order_mask, next, result);
}

unsigned threshold_blocks(std::size_t n) {
    return blocks_for(n, kThresholdThreads, kThresholdBlocksPerSm);
}

template <class Key>
void threshold(const TopKParams<Key>& p) {
    const unsigned blocks = threshold_blocks(p.n);
    KeyIndex* const list = blocks > 1 ? p.scratch.list : nullptr;
    threshold_kernel<<<blocks, kThresholdThreads>>>(p.keys, p.n, p.k, p.order_mask, p.distinct,
                                                    list, p.result);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    threshold_kernel<<<1, kThresholdThreads>>>(list, blocks * p.k, p.k, p.order_mask, p.distinct,
                                               nullptr, p.result);
    CUDA_CHECK_LAUNCH();
}

constexpr unsigned kQueueThreads = 256;
constexpr unsigned kQueueBlocksPerSm = 8;

/// Offers every lane's item to the warp's queue: lane i holds its i-th best. Must be called by all
/// lanes of the warp.
__device__ void offer(KeyIndex item, unsigned k, bool distinct, KeyIndex& mine) {
    const unsigned lane = threadIdx.x % 32;
    unsigned waiting = __ballot_sync(kFullMask, item > __shfl_sync(kFullMask, mine, k - 1));
    while (waiting != 0) {
        const int from = __ffs(static_cast<int>(waiting)) - 1;
        waiting &= waiting - 1;
        const KeyIndex next = __shfl_sync(kFullMask, item, from);
        const bool same = distinct && mine != 0 && radix_key_of(mine) == radix_key_of(next);
        if (__any_sync(kFullMask, same)) {
            if (same) mine = max(mine, next);
            continue;
        }
        // All better ones stay; the others move up one lane, and the last falls out.
        const unsigned place = __popc(__ballot_sync(kFullMask, mine > next));
        const KeyIndex above = __shfl_up_sync(kFullMask, mine, 1);
        if (lane == place) mine = next;
        if (lane > place) mine = above;
    }
}

/// Merges the queues of the block's warps: the result is in queues[0..32), for the first warp.
/// `mine`: this lane's of its warp's queue. Must be called by all threads of the block.
__device__ void merge_queues(KeyIndex mine, unsigned k, bool distinct, KeyIndex* queues) {
    queues[threadIdx.x] = mine;
    __syncthreads();  // all queues are there
    if (threadIdx.x >= 32) return;
    for (unsigned other = 32; other < blockDim.x; other += 32) {
        offer(queues[other + threadIdx.x], k, distinct, mine);
    }
    queues[threadIdx.x] = mine;
    __syncwarp();  // the block's queue is there
}

// warp_queue: every warp keeps a sorted queue in its registers, one item per lane; ballots find
// what passes, which lane holds an equal value, and the place; a shuffle makes room.
// Removes: the barriers, and the waiting for one thread; memory for the lists.
// Remains: 4-byte reads, few in flight; every warp learns its own threshold; a second launch.
template <class Key, class Item>
__global__ void warp_queue_kernel(const Item* items, unsigned n, unsigned k, unsigned order_mask,
                                  bool distinct, KeyIndex* next, TopKResult<Key> result) {
    __shared__ KeyIndex queues[kQueueThreads];
    KeyIndex mine = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    // `first` is the same in all lanes of a warp, so that all of them take part in every offer.
    for (std::size_t first =
             static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x / 32 * 32;
         first < n; first += threads) {
        const std::size_t i = first + threadIdx.x % 32;
        const KeyIndex item =
            i < n ? key_index_of(items[i], static_cast<unsigned>(i), order_mask) : 0;
        offer(item, k, distinct, mine);
    }
    merge_queues(mine, k, distinct, queues);
    if (threadIdx.x < 32) write_list(queues, threadIdx.x, 32, k, order_mask, next, result);
}

template <class Key>
void warp_queue(const TopKParams<Key>& p) {
    const unsigned blocks = blocks_for(p.n, kQueueThreads, kQueueBlocksPerSm);
    KeyIndex* const list = blocks > 1 ? p.scratch.list : nullptr;
    warp_queue_kernel<<<blocks, kQueueThreads>>>(p.keys, p.n, p.k, p.order_mask, p.distinct, list,
                                                 p.result);
    CUDA_CHECK_LAUNCH();
    if (blocks == 1) return;  // it has written the answer
    warp_queue_kernel<<<1, kQueueThreads>>>(list, blocks * p.k, p.k, p.order_mask, p.distinct,
                                            nullptr, p.result);
    CUDA_CHECK_LAUNCH();
}

// ---- One read at the memory's speed, for small k ---------------------------------------------

constexpr unsigned kVectorReads = 4;        // 16-byte reads in flight per thread
constexpr unsigned kVectorBlocksPerSm = 4;  // so that 64 registers per thread suffice
constexpr unsigned kVectorTile = kQueueThreads * kVectorReads * 4;  // keys of a block's turn

/// Four keys, read at once.
template <class Key>
struct VectorOf;
template <>
struct VectorOf<int> {
    using Type = int4;
};
template <>
struct VectorOf<float> {
    using Type = float4;
};

/// Offers the four keys of every lane's vector to the warp's queue, unless all of them are below
/// the threshold. `first`: the index of the vector's first key; the keys end at `end`. Must be
/// called by all lanes of the warp.
template <class Key>
__device__ void offer_vector(const typename VectorOf<Key>::Type& vector, unsigned first,
                             unsigned end, unsigned k, unsigned order_mask, bool distinct,
                             KeyIndex threshold, KeyIndex& mine) {
    const Key keys[4] = {vector.x, vector.y, vector.z, vector.w};
    unsigned largest = 0;
#pragma unroll
    for (const Key key : keys) largest = max(largest, KeyOrder<Key>::radix_key(key, order_mask));
    if (!__any_sync(kFullMask, largest >= radix_key_of(threshold))) return;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        const KeyIndex item = first + i < end ? key_index_of(keys[i], first + i, order_mask) : 0;
        offer(item > threshold ? item : 0, k, distinct, mine);
    }
}

/// Offers the up to three keys behind the last whole vector. Only the first warp of the grid does.
template <class Key>
__device__ void offer_tail(const Key* keys, unsigned n, unsigned k, unsigned order_mask,
                           bool distinct, KeyIndex& mine) {
    if (blockIdx.x != 0 || threadIdx.x >= 32) return;
    const unsigned i = n / 4 * 4 + threadIdx.x;
    offer(i < n ? key_index_of(keys[i], i, order_mask) : 0, k, distinct, mine);
}

/// The k best of the blocks' lists, `count` items in all, to the answer. Must be called by all
/// threads of one block.
template <class Key>
__device__ void merge_block_lists(const KeyIndex* list, unsigned count, unsigned k,
                                  unsigned order_mask, bool distinct, KeyIndex* queues,
                                  const TopKResult<Key>& result) {
    KeyIndex mine = 0;
    for (unsigned first = threadIdx.x / 32 * 32; first < count;
         first += kVectorReads * kQueueThreads) {
        KeyIndex items[kVectorReads];  // in flight
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned i = first + r * kQueueThreads + threadIdx.x % 32;
            items[r] = i < count ? list[i] : 0;
        }
#pragma unroll
        for (const KeyIndex item : items) offer(item, k, distinct, mine);
    }
    merge_queues(mine, k, distinct, queues);
    if (threadIdx.x < 32) write_list(queues, threadIdx.x, 32, k, order_mask, nullptr, result);
}

// vector_queue: 16-byte reads, four in flight; of the four keys of each only the largest is
// compared with the threshold, and one vote of the warp decides for 128 keys.
// Removes: small reads, and most of the instructions for a key that does not pass.
// Remains: every warp learns its own threshold; a second launch.
template <class Key>
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    vector_queue_kernel(const Key* keys, unsigned n, unsigned k, unsigned order_mask, bool distinct,
                        KeyIndex* list) {
    using Vector = typename VectorOf<Key>::Type;
    __shared__ KeyIndex queues[kQueueThreads];
    KeyIndex mine = 0;
    for (unsigned tile = blockIdx.x; tile < divide_up(n, kVectorTile); tile += gridDim.x) {
        Vector vectors[kVectorReads];
        load_tile<kQueueThreads, false>(reinterpret_cast<const Vector*>(keys), n / 4, tile,
                                        vectors);
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned first = tile * kVectorTile + (r * kQueueThreads + threadIdx.x) * 4;
            const KeyIndex kth = __shfl_sync(kFullMask, mine, k - 1);
            offer_vector<Key>(vectors[r], first, n / 4 * 4, k, order_mask, distinct, kth, mine);
        }
    }
    offer_tail(keys, n, k, order_mask, distinct, mine);
    merge_queues(mine, k, distinct, queues);
    if (threadIdx.x < k) list[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
}

template <class Key>
__global__ void vector_queue_merge_kernel(const KeyIndex* list, unsigned count, unsigned k,
                                          unsigned order_mask, bool distinct,
                                          TopKResult<Key> result) {
    __shared__ KeyIndex queues[kQueueThreads];
    merge_block_lists(list, count, k, order_mask, distinct, queues, result);
}

template <class Key>
void vector_queue(const TopKParams<Key>& p) {
    require_aligned(p.keys, "vector_queue");
    const unsigned blocks = blocks_for(p.n, kVectorTile, kVectorBlocksPerSm);
    vector_queue_kernel<<<blocks, kQueueThreads>>>(p.keys, p.n, p.k, p.order_mask, p.distinct,
                                                   p.scratch.list);
    CUDA_CHECK_LAUNCH();
    vector_queue_merge_kernel<<<1, kQueueThreads>>>(p.scratch.list, blocks * p.k, p.k, p.order_mask,
                                                    p.distinct, p.result);
    CUDA_CHECK_LAUNCH();
}

/// This lane's entry of its warp's queue, for the warp's share of the keys. The threshold is the
/// highest k-th that a warp of the grid has published in *highest, or the warp's own. Must be
/// called by all threads of the block.
template <class Key>
__device__ KeyIndex queue_of_warp(const Key* keys, unsigned n, unsigned k, unsigned order_mask,
                                  bool distinct, KeyIndex* highest) {
    using Vector = typename VectorOf<Key>::Type;
    KeyIndex mine = 0;
    for (unsigned tile = blockIdx.x; tile < divide_up(n, kVectorTile); tile += gridDim.x) {
        const KeyIndex published = load_relaxed(highest);  // on its way with the keys
        Vector vectors[kVectorReads];
        load_tile<kQueueThreads, false>(reinterpret_cast<const Vector*>(keys), n / 4, tile,
                                        vectors);
        // Lanes may have read different values, and all must decide alike.
        KeyIndex threshold = __shfl_sync(kFullMask, published, 0);
#pragma unroll
        for (unsigned r = 0; r < kVectorReads; ++r) {
            const unsigned first = tile * kVectorTile + (r * kQueueThreads + threadIdx.x) * 4;
            offer_vector<Key>(vectors[r], first, n / 4 * 4, k, order_mask, distinct, threshold,
                              mine);
            const KeyIndex kth = __shfl_sync(kFullMask, mine, k - 1);
            if (kth <= threshold) continue;
            // k keys are as good or better, so no key below is in the answer, whichever warp has
            // it. What other warps have published comes back.
            if (threadIdx.x % 32 == 0) threshold = max(kth, atomicMax(highest, kth));
            threshold = __shfl_sync(kFullMask, threshold, 0);
        }
    }
    offer_tail(keys, n, k, order_mask, distinct, mine);
    return mine;
}

// shared_threshold: a warp whose k-th has risen publishes it; all warps use the highest that they
// have seen. No warp waits: an old threshold is lower than the new one, and never wrong.
// Removes: what each warp's own threshold lets pass although another warp knows better; in
// ascending order that is nearly every key.
// Remains: a second launch.
template <class Key>
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    shared_threshold_kernel(const Key* keys, unsigned n, unsigned k, unsigned order_mask,
                            bool distinct, KeyIndex* highest, KeyIndex* list) {
    __shared__ KeyIndex queues[kQueueThreads];
    merge_queues(queue_of_warp(keys, n, k, order_mask, distinct, highest), k, distinct, queues);
    if (threadIdx.x < k) list[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
}

template <class Key>
__global__ void shared_threshold_merge_kernel(const KeyIndex* list, unsigned count, unsigned k,
                                              unsigned order_mask, bool distinct, KeyIndex* highest,
                                              TopKResult<Key> result) {
    __shared__ KeyIndex queues[kQueueThreads];
    merge_block_lists(list, count, k, order_mask, distinct, queues, result);
    if (threadIdx.x == 0) *highest = 0;  // as it was before the launches
}

template <class Key>
void shared_threshold(const TopKParams<Key>& p) {
    require_aligned(p.keys, "shared_threshold");
    const unsigned blocks = blocks_for(p.n, kVectorTile, kVectorBlocksPerSm);
    KeyIndex* const highest = &p.scratch.control->threshold;
    shared_threshold_kernel<<<blocks, kQueueThreads>>>(p.keys, p.n, p.k, p.order_mask, p.distinct,
                                                       highest, p.scratch.list);
    CUDA_CHECK_LAUNCH();
    shared_threshold_merge_kernel<<<1, kQueueThreads>>>(
        p.scratch.list, blocks * p.k, p.k, p.order_mask, p.distinct, highest, p.result);
    CUDA_CHECK_LAUNCH();
}

// one_launch: as shared_threshold, and the last block to finish merges the lists of all blocks.
// Removes: the second launch.
// Remains: k up to 32; no read is on its way while a warp tests its keys; the threshold learns from
// the past only.
template <class Key>
__global__ void __launch_bounds__(kQueueThreads, kVectorBlocksPerSm)
    one_launch_kernel(const Key* keys, unsigned n, unsigned k, unsigned order_mask, bool distinct,
                      KeyIndex* highest, KeyIndex* list, unsigned long long* finished,
                      TopKResult<Key> result) {
    __shared__ KeyIndex queues[kQueueThreads];
    __shared__ bool is_last;
    merge_queues(queue_of_warp(keys, n, k, order_mask, distinct, highest), k, distinct, queues);
    if (threadIdx.x < k) list[blockIdx.x * k + threadIdx.x] = queues[threadIdx.x];
    __syncthreads();  // the block's list is written
    if (threadIdx.x == 0) {
        __threadfence();  // release: the list is visible before the block counts as finished
        is_last = atomicAdd(finished, 1ull) == gridDim.x - 1;
        __threadfence();  // acquire: the last block sees the lists of all others
    }
    __syncthreads();  // all threads know whether this block is the last
    if (!is_last) return;
    merge_block_lists(list, gridDim.x * k, k, order_mask, distinct, queues, result);
    if (threadIdx.x == 0) {  // as they were before the launch
        *highest = 0;
        *finished = 0;
    }
}

template <class Key>
void one_launch(const TopKParams<Key>& p) {
    require_aligned(p.keys, "one_launch");
    const unsigned blocks = blocks_for(p.n, kVectorTile, kVectorBlocksPerSm);
    Control* const control = p.scratch.control;
    one_launch_kernel<<<blocks, kQueueThreads>>>(p.keys, p.n, p.k, p.order_mask, p.distinct,
                                                 &control->threshold, p.scratch.list,
                                                 &control->progress, p.result);
    CUDA_CHECK_LAUNCH();
}

}  // namespace

// ---- The fastest versions --------------------------------------------------------------------

// one_read, sample_threshold, radix_select and best: any k, any order of the data.
#include "fastest/best.cuh"

namespace {

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<TopK<Key>>>& stages() {
    static const std::vector<Stage<TopK<Key>>> table = {
        {{"insert", "a sorted list per thread, merged by the block"},
         {insert<Key>, kMaxListK, kMaxListK}},
        {{"parallel_output", "all threads write the block's list"},
         {parallel_output<Key>, kMaxListK, kMaxListK}},
        {{"multi_pass", "more launches, so that the last is small"},
         {multi_pass<Key>, kMaxListK, kMaxListK}},
        {{"threshold", "one list per block; most keys fail one test"},
         {threshold<Key>, kMaxListK, kMaxListK}},
        {{"warp_queue", "one queue per warp, in registers"},
         {warp_queue<Key>, kMaxListK, kMaxListK}},
        {{"vector_queue", "16-byte reads, one test for four keys"},
         {vector_queue<Key>, kMaxListK, kMaxListK}},
        {{"shared_threshold", "all warps use the highest threshold so far"},
         {shared_threshold<Key>, kMaxListK, kMaxListK}},
        {{"one_launch", "the last block merges the lists"},
         {one_launch<Key>, kMaxListK, kMaxListK}},
        {{"one_read", "larger k, and no read waits for a test"}, {one_read<Key>, kMaxK, kMaxK}},
        {{"sample_threshold", "a threshold from a sample before the first key"},
         {sample_threshold<Key>, kMaxK, kMaxK}},
        {{"radix_select", "the k-th digit by digit, any k"}, {radix_select<Key>, kMaxN, 0}},
        {{"best", "read again only what may hold the answer"}, {best<Key>, kMaxN, kMaxK}},
    };
    return table;
}

ScratchSizes scratch_sizes(unsigned k, std::size_t n) {
    ScratchSizes sizes = fastest_scratch_sizes(k, n);
    const std::size_t lists = std::size_t{std::max(kListBlocksPerSm, kQueueBlocksPerSm)} * k;
    sizes.list = std::max(sizes.list, lists * sm_count());
    return sizes;
}

}  // namespace

#include "experiment.hpp"

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
            if (question.type == "float") {
                return std::make_unique<TopKExperiment<float>>(options, question, stages<float>(),
                                                               scratch_sizes);
            }
            return std::make_unique<TopKExperiment<int>>(options, question, stages<int>(),
                                                         scratch_sizes);
        });
}
