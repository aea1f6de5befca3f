// Merge sort, bitonic sort and sample sort of N keys, alone or with a value each: from the odd-even
// sort of n half-steps to sorts as fast as the library's.
//
// Keys are ints, unsigned ints or floats (-0 before +0, NaN last), and N is any number of them.
//
// You will learn: the work and the steps of an algorithm, the three regimes of merging, the merge
// path, sorting networks, cutting by a sample, and how few sweeps over memory a sort needs.
//
// Stages, made by ./tutorial docs from the table below:
//   1 odd_even           the odd-even sort of chapter 1: n half-steps
//   2 merge_thread       many tiny merges: one thread each
//   3 merge_rank         fewer, larger merges: one block each, every key looks up its place
//   4 merge_split        a few huge merges: splitters cut them into pieces, a block each
//   5 merge_path         equal pieces, a serial merge of 8 keys per thread
//   6 merge_tiles        tiles of 4352 keys sorted on chip first
//   7 bitonic_block      one block, keys in shared memory
//   8 bitonic_global     a launch for each i and j
//   9 bitonic_shared     steps of small distance fused in shared memory
//  10 bitonic_registers  three steps of great distance per pass, in registers
//  11 merge_windows      a warp merges 512 keys by half-cleaners
//  12 sample_sort        splitters cut keys into buckets, a block sorts each
//  13 kept_buckets       each key's bucket is found once, and kept
//  14 bitonic_best       all steps in registers, five per pass
//  15 register_buckets   a bucket is sorted in registers, by half-cleaners
//  16 few_ways           passes of at most 248 ways, splitters and counts on chip
//  17 ordered_tiles      a tile is put in order on chip before it is stored
//  18 computed_places    a key's place in its bucket is computed
//  19 sample_best        small inputs in one launch
//
//   nvcc -std=c++17 -O3 -arch=native -I. ch05_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch05
//   cmake --build build/cuda --target ch05_merge_bitonic    (or build/cpu, without a GPU)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "experiment.hpp"
#include "fastest/fastest.cuh"
#include "keys.hpp"
#include "library.cuh"
#include "merging.hpp"
#include "tile_sizes.hpp"

namespace sorting {

// ---- What is sorted --------------------------------------------------------------------------

// Read SortKey as int: that is what it is when keys are sorted alone. If each has a value, SortKey
// is KeyValue: a key and its value, packed into one 64-bit integer, the key above. Equal keys are
// then sorted by their values. Unsigned ints and floats are mapped, one to one, to ints with the
// same order. All of that is packed once before a stage, and unpacked once after it, by
// fastest/pack.cuh; kLast is the greatest SortKey.
//
// Sizes of tiles that stages of fastest/ use as well are in tile_sizes.hpp.
//
// A stage sorts `keys` in place, or between `keys` and as many `spare` ones: then it returns the
// one of the two where the result is.

// ---- The starting point: the odd-even sort ---------------------------------------------------

// odd_even: the odd-even sort of chapter 1, a launch per half-step.
// Removes: nothing; it is what the other stages are compared with.
// Remains: n half-steps, each of which reads and writes all keys in global memory.
template <class SortKey>
__global__ void odd_even_kernel(SortKey* keys, unsigned n, unsigned first) {
    const unsigned i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) compare_exchange(keys[i], keys[i + 1]);
}

template <class SortKey>
void odd_even(SortKey* keys, unsigned n) {
    for (unsigned step = 0; n > 1 && step < n; ++step) {
        odd_even_kernel<<<divide_up(n / 2, 256u), 256>>>(keys, n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
}

// ---- Merge sort: one thread per merge --------------------------------------------------------

// merge_thread: every pair of neighbouring runs has a thread of its own, which merges it serially.
// Removes: the n half-steps of the odd-even sort; log2(n) levels are left.
// Remains: the fewer and longer the runs, the fewer threads work; each reads and writes far from
// its neighbours.
template <class SortKey>
__global__ void merge_thread_kernel(const SortKey* from, SortKey* to, unsigned n, unsigned run) {
    const unsigned begin = 2 * run * (blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    unsigned a = begin, b = middle;
    for (unsigned i = begin; i < end; ++i) {
        const bool take_a = a < middle && (b == end || !(from[b] < from[a]));
        to[i] = from[take_a ? a++ : b++];
    }
}

template <class SortKey>
SortKey* merge_thread(SortKey* keys, SortKey* spare, unsigned n) {
    for (unsigned run = 1; run < n; run *= 2) {
        const unsigned merges = divide_up(n, 2 * run);
        merge_thread_kernel<<<divide_up(merges, kMergeThreads), kMergeThreads>>>(keys, spare, n,
                                                                                 run);
        CUDA_CHECK_LAUNCH();
        std::swap(keys, spare);
    }
    return keys;
}

// ---- Merge sort: one block per merge ---------------------------------------------------------

constexpr unsigned kRankTile = 1024;

/// Sorts tiles of kRankTile keys, a block each: all levels of merge_rank that fit into shared
/// memory. `to` may be `from`.
template <class SortKey>
__global__ void merge_rank_tile_kernel(const SortKey* from, SortKey* to, unsigned n) {
    __shared__ SortKey buffers[2][kRankTile];
    const unsigned first = blockIdx.x * kRankTile;
    const unsigned count = min(kRankTile, n - first);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) buffers[0][i] = from[first + i];
    __syncthreads();  // threads merge keys that others loaded
    SortKey* source = buffers[0];
    SortKey* target = buffers[1];
    for (unsigned run = 1; run < count; run *= 2) {
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            const unsigned begin = i / (2 * run) * (2 * run);
            const unsigned middle = min(begin + run, count);
            const unsigned end = min(begin + 2 * run, count);
            target[merged_index(source, begin, middle, end, i)] = source[i];
        }
        __syncthreads();  // between the levels, and before the keys are stored
        SortKey* const other = source;
        source = target;
        target = other;
    }
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[first + i] = source[i];
}

// merge_rank: a block merges a pair of runs; each key finds its place by its own index and a
// binary search in the other run.
// Removes: the serial merge; all keys of a pair find their places at the same time.
// Remains: the last levels have few pairs, and so few blocks; log2(run) probes per key and level.
template <class SortKey>
__global__ void merge_rank_kernel(const SortKey* from, SortKey* to, unsigned n, unsigned run) {
    const unsigned begin = blockIdx.x * 2 * run;
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x) {
        to[merged_index(from, begin, middle, end, i)] = from[i];
    }
}

template <class SortKey>
SortKey* merge_rank(SortKey* keys, SortKey* spare, unsigned n) {
    if (n == 0) return keys;
    auto [from, to] = first_buffers(keys, spare, n, kRankTile);
    merge_rank_tile_kernel<<<divide_up(n, kRankTile), kMergeThreads>>>(keys, from, n);
    CUDA_CHECK_LAUNCH();
    for (unsigned run = kRankTile; run < n; run *= 2) {
        merge_rank_kernel<<<divide_up(n, 2 * run), 1024>>>(from, to, n, run);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return keys;
}

// ---- Merge sort: many blocks per merge -------------------------------------------------------

constexpr unsigned kSplitEvery = 256;

/// Each run's keys 0, 256, 512, ... are its splitters. One thread per splitter finds where the
/// splitter belongs in the other run, and thus its number among the splitters of both runs.
/// cuts[number] says where the piece that begins with this splitter begins in each of the two runs.
template <class SortKey>
__global__ void merge_split_cuts_kernel(const SortKey* from, unsigned n, unsigned run,
                                        uint2* cuts) {
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * kSplitEvery;
    if (i >= n) return;
    const unsigned begin = i / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    uint2 cut;
    if (i < middle) {
        cut = make_uint2(i, middle + rank_in<false>(from + middle, end - middle, from[i]));
    } else {
        cut = make_uint2(begin + rank_in<true>(from + begin, middle - begin, from[i]), i);
    }
    const unsigned splitters_before =
        divide_up(cut.x - begin, kSplitEvery) + divide_up(cut.y - middle, kSplitEvery);
    cuts[begin / kSplitEvery + splitters_before] = cut;
}

// merge_split: the splitters of a pair cut its merge into pieces of at most 256 keys of either run;
// a block merges each piece, as merge_rank does, in shared memory.
// Removes: the limit of one block per pair; the long binary searches, except for one key in 256.
// Remains: pieces differ in size: from 1 to 512 keys, 256 on average.
template <class SortKey>
__global__ void merge_split_kernel(const SortKey* from, SortKey* to, unsigned n, unsigned run,
                                   const uint2* cuts) {
    __shared__ SortKey piece[2 * kSplitEvery];
    const unsigned begin = blockIdx.x * kSplitEvery / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    const uint2 first = cuts[blockIdx.x];
    uint2 last = make_uint2(middle, end);
    const bool is_last = (blockIdx.x + 1) * kSplitEvery >= end;
    if (!is_last) last = cuts[blockIdx.x + 1];
    const unsigned from_a = last.x - first.x;
    const unsigned count = from_a + last.y - first.y;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        piece[i] = from[i < from_a ? first.x + i : first.y + (i - from_a)];
    }
    __syncthreads();  // threads search keys that others loaded
    SortKey* target = to + first.x + (first.y - middle);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        target[merged_index(piece, 0, from_a, count, i)] = piece[i];
    }
}

template <class SortKey>
SortKey* merge_split(SortKey* keys, SortKey* spare, unsigned n, void* scratch) {
    if (n == 0) return keys;
    uint2* cuts = static_cast<uint2*>(scratch);
    const unsigned pieces = divide_up(n, kSplitEvery);
    auto [from, to] = first_buffers(keys, spare, n, kRankTile);
    merge_rank_tile_kernel<<<divide_up(n, kRankTile), kMergeThreads>>>(keys, from, n);
    CUDA_CHECK_LAUNCH();
    for (unsigned run = kRankTile; run < n; run *= 2) {
        merge_split_cuts_kernel<<<divide_up(pieces, kMergeThreads), kMergeThreads>>>(from, n, run,
                                                                                     cuts);
        CUDA_CHECK_LAUNCH();
        merge_split_kernel<<<pieces, kMergeThreads>>>(from, to, n, run, cuts);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return keys;
}

// ---- Merge sort: equal shares ----------------------------------------------------------------

constexpr unsigned kPathKeys = 8;  // keys per thread

// merge_path: every block writes 2048 keys, every thread 8, whatever the data; a binary search
// along a diagonal finds where in the two runs a piece begins.
// Removes: pieces of different size; a binary search for every key: one per thread is left.
// Remains: one sweep over memory per level; a serial merge waits for shared memory at each key.
template <unsigned kKeys, class SortKey>
__global__ void merge_path_kernel(const SortKey* from, SortKey* to, unsigned n, unsigned run) {
    constexpr unsigned kShare = kMergeThreads * kKeys;  // 2 * run must be a multiple of it
    __shared__ SortKey tile[kShare];
    __shared__ unsigned cuts[2];
    const unsigned out = blockIdx.x * kShare;
    const unsigned begin = out / (2 * run) * (2 * run);
    const unsigned middle = min(begin + run, n);
    const unsigned end = min(begin + 2 * run, n);
    const unsigned count = min(kShare, end - out);
    if (threadIdx.x % kWarpSize == 0 && threadIdx.x < 2 * kWarpSize) {
        const unsigned which = threadIdx.x / kWarpSize;
        cuts[which] = merge_path_cut(from + begin, middle - begin, from + middle, end - middle,
                                     out - begin + which * count);
    }
    __syncthreads();  // two threads have searched for all
    const unsigned count_a = cuts[1] - cuts[0];
    const SortKey* a = from + begin + cuts[0];
    const SortKey* b = from + middle + (out - begin - cuts[0]);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        tile[i] = i < count_a ? a[i] : b[i - count_a];
    }
    __syncthreads();  // threads merge keys that others loaded
    const unsigned diagonal = min(threadIdx.x * kKeys, count);
    SortKey merged[kKeys];
    merge_serially(merged, tile, count_a, tile + count_a, count - count_a, diagonal);
    __syncthreads();  // all have read the tile before it is written
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        if (diagonal + i < count) tile[diagonal + i] = merged[i];
    }
    __syncthreads();  // the tile is whole before it is stored
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[out + i] = tile[i];
}

template <class SortKey>
SortKey* merge_path(SortKey* keys, SortKey* spare, unsigned n) {
    if (n == 0) return keys;
    auto [from, to] = first_buffers(keys, spare, n, kRankTile);
    merge_rank_tile_kernel<<<divide_up(n, kRankTile), kMergeThreads>>>(keys, from, n);
    CUDA_CHECK_LAUNCH();
    const unsigned shares = divide_up(n, kMergeThreads * kPathKeys);
    for (unsigned run = kRankTile; run < n; run *= 2) {
        merge_path_kernel<kPathKeys><<<shares, kMergeThreads>>>(from, to, n, run);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return keys;
}

// ---- Merge sort: larger tiles ----------------------------------------------------------------

/// Sorts tile[0..count), count <= kTile, in shared memory. Each thread sorts its keys in registers,
/// by the odd-even sort; then runs of 1, 2, 4, ... threads are merged along the merge path. Must be
/// called by all threads of a block of kMergeThreads.
template <class SortKey>
__device__ void sort_shared_tile(SortKey* tile, unsigned count) {
    const unsigned first = threadIdx.x * kTileKeys;
    SortKey key[kTileKeys];
#pragma unroll
    for (unsigned i = 0; i < kTileKeys; ++i) {
        key[i] = first + i < count ? tile[first + i] : kLast<SortKey>;
    }
#pragma unroll
    for (unsigned step = 0; step < kTileKeys; ++step) {
#pragma unroll
        for (unsigned i = step % 2; i + 1 < kTileKeys; i += 2) compare_exchange(key[i], key[i + 1]);
    }
    for (unsigned run = kTileKeys;; run *= 2) {
#pragma unroll
        for (unsigned i = 0; i < kTileKeys; ++i) {
            if (first + i < count) tile[first + i] = key[i];
        }
        __syncthreads();  // the runs are written before others read them
        if (run >= count) return;
        const unsigned begin = first / (2 * run) * (2 * run);
        const unsigned middle = min(begin + run, count);
        const unsigned end = min(begin + 2 * run, count);
        if (first < count) {
            merge_serially(key, tile + begin, middle - begin, tile + middle, end - middle,
                           first - begin);
        }
        __syncthreads();  // all have read the tile before it is written
    }
}

// merge_tiles: tiles of 4352 keys are sorted first, in registers and in shared memory; then the
// sweeps of merge_path, with 17 keys per thread.
// Removes: two of the sweeps; binary searches for every key in the tiles: one per thread is left.
// Remains: the serial merge, in the tiles as in the sweeps.
template <class SortKey>
__global__ void merge_tiles_kernel(const SortKey* from, SortKey* to, unsigned n) {
    __shared__ SortKey tile[kTile];
    const unsigned begin = blockIdx.x * kTile;
    const unsigned count = min(kTile, n - begin);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) tile[i] = from[begin + i];
    __syncthreads();  // threads sort keys that others loaded
    sort_shared_tile(tile, count);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[begin + i] = tile[i];
}

template <class SortKey>
SortKey* merge_tiles(SortKey* keys, SortKey* spare, unsigned n) {
    if (n == 0) return keys;
    const unsigned tiles = divide_up(n, kTile);
    auto [from, to] = first_buffers(keys, spare, n, kTile);
    merge_tiles_kernel<<<tiles, kMergeThreads>>>(keys, from, n);
    CUDA_CHECK_LAUNCH();
    for (unsigned run = kTile; run < n; run *= 2) {
        merge_path_kernel<kTileKeys><<<tiles, kMergeThreads>>>(from, to, n, run);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
    return keys;
}

// ---- Bitonic sort: one block -----------------------------------------------------------------

// The network (Batcher, 1968) has log2(n) levels; level i makes sorted runs of i keys, i = 2, 4,
// 8... from sorted runs of i / 2, by steps of distance j. The first step compares each key of the
// lower run with its mirror image in the upper run: partner = index ^ (i - 1). It leaves two
// bitonic halves, which half-cleaners of distance j = i / 4 ... 1 sort: partner = index ^ j. The
// lesser key always goes to the lower index. So keys past the end, were there any, would be the
// greatest and never move: n need not be a power of two; comparisons that have no partner are left
// out. All of it works in place.

/// The lower index of pair number `pair` among indices that differ in bit `distance`, a power of
/// two.
__host__ __device__ inline unsigned lower_of_pair(unsigned pair, unsigned distance) {
    return 2 * pair - (pair & (distance - 1));
}

/// One comparison of level i: that of pair number `pair`, at distance j; j == i / 2 is the level's
/// first step. Does nothing if the partner would be past the end.
template <class SortKey>
__device__ void bitonic_compare(SortKey* keys, unsigned n, unsigned pair, unsigned i, unsigned j) {
    const unsigned lower = lower_of_pair(pair, j);
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    if (upper < n) compare_exchange(keys[lower], keys[upper]);
}

constexpr unsigned kBitonicBlock = 4096;

// bitonic_block: one block sorts all keys in shared memory, a barrier between the steps.
// Removes: the n half-steps of the odd-even sort; log2(n) (log2(n) + 1) / 2 steps are left.
// Remains: one multiprocessor, and no more keys than its shared memory holds.
template <class SortKey>
__global__ void bitonic_block_kernel(SortKey* keys, unsigned n) {
    __shared__ SortKey tile[kBitonicBlock];
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) tile[k] = keys[k];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < n; pair += blockDim.x) {
                bitonic_compare(tile, n, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the keys are stored
        }
    }
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) keys[k] = tile[k];
}

template <class SortKey>
void bitonic_block(SortKey* keys, unsigned n) {
    if (n < 2) return;
    bitonic_block_kernel<<<1, 1024>>>(keys, n);
    CUDA_CHECK_LAUNCH();
}

// ---- Bitonic sort: many blocks ---------------------------------------------------------------

// bitonic_global: a launch for each i and j, a thread for each pair.
// Removes: the limit of one block.
// Remains: every step reads and writes all keys in global memory.
template <class SortKey>
__global__ void bitonic_global_kernel(SortKey* keys, unsigned n, unsigned i, unsigned j) {
    bitonic_compare(keys, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
}

template <class SortKey>
void bitonic_step(SortKey* keys, unsigned n, unsigned i, unsigned j) {
    const unsigned pairs = power_of_two(n) / 2;
    bitonic_global_kernel<<<divide_up(pairs, kBitonicThreads), kBitonicThreads>>>(keys, n, i, j);
    CUDA_CHECK_LAUNCH();
}

template <class SortKey>
void bitonic_global(SortKey* keys, unsigned n) {
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) bitonic_step(keys, n, i, j);
    }
}

// ---- Bitonic sort: steps fused in shared memory ----------------------------------------------

// bitonic_shared: all steps of distance below the tile are done in shared memory, in one launch:
// levels first_i … last_i, from distance j of the first of them.
// Removes: these steps' sweeps over global memory, which are most of all sweeps.
// Remains: a sweep for every step of greater distance; a barrier and two shared reads per step.
template <class SortKey>
__global__ void bitonic_shared_kernel(SortKey* keys, unsigned n, unsigned first_i, unsigned last_i,
                                      unsigned j) {
    __shared__ SortKey tile[kBitonicTile];
    const unsigned begin = blockIdx.x * kBitonicTile;
    const unsigned count = min(kBitonicTile, n - begin);
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) tile[k] = keys[begin + k];
    __syncthreads();  // threads compare keys that others loaded
    for (unsigned i = first_i; i <= last_i; i *= 2) {
        for (; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < count; pair += blockDim.x) {
                bitonic_compare(tile, count, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the keys are stored
        }
        j = i;
    }
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) keys[begin + k] = tile[k];
}

/// Does levels first_i … last_i in all tiles, from distance j of the first of them.
template <class SortKey>
void bitonic_in_tiles(SortKey* keys, unsigned n, unsigned first_i, unsigned last_i, unsigned j) {
    bitonic_shared_kernel<<<divide_up(n, kBitonicTile), kBitonicTile / 2>>>(keys, n, first_i,
                                                                            last_i, j);
    CUDA_CHECK_LAUNCH();
}

template <class SortKey>
void bitonic_shared(SortKey* keys, unsigned n) {
    if (n < 2) return;
    bitonic_in_tiles(keys, n, 2, kBitonicTile, 1);
    for (unsigned i = 2 * kBitonicTile; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j >= kBitonicTile; j /= 2) bitonic_step(keys, n, i, j);
        bitonic_in_tiles(keys, n, i, i, kBitonicTile / 2);
    }
}

// ---- Memory ------------------------------------------------------------------------------------

template <class SortKey>
std::size_t scratch_bytes(std::size_t n) {
    return std::max({n / kWarpSize + 4096, sample_sort_bytes<SortKey>(n),
                     bucket_sort_bytes<SortKey>(n), library_bytes<SortKey>(n)});
}

// ---- The table -------------------------------------------------------------------------------

template <class SortKey>
const std::vector<Stage<Launch<SortKey>>>& stages() {
    using K = SortKey;
    using Table = std::vector<Stage<Launch<K>>>;
    static const Table table = [] {
        Table rows = {
            {{"host",
              "host: std::sort",
              RowKind::host,
              {std::size_t{1} << 24, "more would take many seconds"}},
             host<K>},
            {{"odd_even",
              "the odd-even sort of chapter 1: n half-steps",
              RowKind::stage,
              {std::size_t{1} << 16, "n launches would take many seconds", {}, true}},
             packed<K, odd_even<K>>},
            {{"merge_thread",
              "many tiny merges: one thread each",
              RowKind::stage,
              {std::size_t{1} << 18, "in the end one thread merges all keys"}},
             packed<K, merge_thread<K>>},
            {{"merge_rank",
              "fewer, larger merges: one block each, every key looks up its place",
              RowKind::stage,
              {std::size_t{1} << 22, "in the end one block merges all keys"}},
             packed<K, merge_rank<K>>},
            {{"merge_split", "a few huge merges: splitters cut them into pieces, a block each"},
             packed<K, merge_split<K>>},
            {{"merge_path", "equal pieces, a serial merge of 8 keys per thread"},
             packed<K, merge_path<K>>},
            {{"merge_tiles", "tiles of 4352 keys sorted on chip first"}, packed<K, merge_tiles<K>>},
            {{"bitonic_block",
              "one block, keys in shared memory",
              RowKind::stage,
              {kBitonicBlock, "one block holds no more in shared memory"}},
             packed<K, bitonic_block<K>>},
            {{"bitonic_global", "a launch for each i and j"}, packed<K, bitonic_global<K>>},
            {{"bitonic_shared", "steps of small distance fused in shared memory"},
             packed<K, bitonic_shared<K>>},
            {{"bitonic_registers", "three steps of great distance per pass, in registers"},
             packed<K, bitonic_registers<K>>},
            {{"merge_windows", "a warp merges 512 keys by half-cleaners"},
             packed<K, merge_windows<K>>},
            {{"sample_sort", "splitters cut keys into buckets, a block sorts each"},
             packed<K, sample_sort<K>>},
            {{"kept_buckets", "each key's bucket is found once, and kept"},
             packed<K, kept_buckets<K>>},
            {{"bitonic_best", "all steps in registers, five per pass"}, bitonic_best<K>},
            {{"register_buckets", "a bucket is sorted in registers, by half-cleaners"},
             register_buckets<K>},
            {{"few_ways", "passes of at most 248 ways, splitters and counts on chip"}, few_ways<K>},
            {{"ordered_tiles", "a tile is put in order on chip before it is stored"},
             ordered_tiles<K>},
            {{"computed_places", "a key's place in its bucket is computed"}, computed_places<K>},
            {{"sample_best", "small inputs in one launch"}, sample_best<K>},
        };
        const Table library = library_stages<K>();
        rows.insert(rows.end(), library.begin(), library.end());
        return rows;
    }();
    return table;
}

template <class Key>
std::unique_ptr<Experiment> experiment(bool values) {
    if (values) return std::make_unique<SortExperiment<Key, KeyValue>>(stages<KeyValue>());
    return std::make_unique<SortExperiment<Key, int>>(stages<int>());
}

}  // namespace sorting

int main(int argc, char** argv) {
    std::string type = "int";
    bool values = false;
    tutorial::Chapter chapter("ch05_merge_bitonic", "merge sort, bitonic sort, sample sort", "key");
    chapter.sizes(std::size_t{1} << 24, 4000, sorting::kMaxKeys, std::size_t{1} << 18)
        .choice("--type", "type of the keys", {"int", "unsigned", "float"}, type)
        .flag("--values", "sort a 32-bit value with each key; equal keys by their values", values);
    return chapter.run(argc, argv, [&](const tutorial::Options&) {
        if (type == "float") return sorting::experiment<float>(values);
        if (type == "unsigned") return sorting::experiment<unsigned>(values);
        return sorting::experiment<int>(values);
    });
}
