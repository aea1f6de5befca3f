// What the passes of a sort by a sample share: where to cut, and the tiles that a pass reads.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../common/harness/device_code.cuh"
#include "../../common/harness/launch_bounds.hpp"
#include "../../common/harness/programmatic_launch.hpp"
#include "../keys.hpp"
#include "pack.cuh"
#include "windows.cuh"

namespace sorting {

// ---- Where to cut ----------------------------------------------------------------------------

/// Keys of the sample for each of the last buckets.
constexpr unsigned kSampled = 32;

/// A pass cuts a bucket into at most this many: the slot of each among the splitters, slot_of(), is
/// a byte.
constexpr unsigned kMaxWays = 248;

/// A number without a pattern.
__host__ __device__ constexpr unsigned scrambled(unsigned i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

/// Key i of the sample, i < count: a key of the i-th of `count` equal parts of the keys, and its
/// value. Also clears the counters of later kernels.
template <class SortKey>
__global__ void sample_kernel(Arrays arrays, unsigned n, unsigned seed, Arrays sample,
                              unsigned count, unsigned* counters, unsigned number_of_counters) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < number_of_counters) counters[i] = 0;
    if (i >= count) return;
    const auto begin_of = [&](unsigned part) {
        return static_cast<unsigned>(static_cast<unsigned long long>(part) * n / count);
    };
    const unsigned begin = begin_of(i);
    const unsigned part = max(begin_of(i + 1) - begin, 1u);
    const unsigned at = begin + __umulhi(scrambled(seed + i), part);
    sample.store(arrays.load<SortKey>(at), i);
}

/// Splitters: each of the last buckets except the first has one, and no key in an earlier bucket is
/// greater.
template <class SortKey>
struct Splitters {
    Arrays sample;        ///< sorted
    SortKey* key;         ///< of bucket i: number i * kSampled of the sample
    unsigned* run_begin;  ///< where keys equal to it begin in the sample
    unsigned* run_end;    ///< and end
    unsigned buckets;
};

/// The first index from `low` on, before `high`, for which before(index) is false; else `high`.
template <class Before>
__device__ unsigned first_not(unsigned low, unsigned high, const Before& before) {
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool is_before = before(middle);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

/// And the first pass's only bucket: all n keys, in tiles of `tile`.
template <class SortKey>
__global__ void splitters_kernel(Splitters<SortKey> splitters, unsigned n, unsigned tile,
                                 unsigned* begin, unsigned* first_tile) {
    grid_dependency_synchronize();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) {
        begin[i] = i * n;
        first_tile[i] = i * divide_up(n, tile);
    }
    if (i >= splitters.buckets) return;
    const unsigned at = i * kSampled;
    const Arrays& sample = splitters.sample;
    const SortKey key = sample.load<SortKey>(at);
    const unsigned count = splitters.buckets * kSampled;
    const bool alone =
        (at == 0 || sample.load<SortKey>(at - 1) < key) && key < sample.load<SortKey>(at + 1);
    splitters.key[i] = key;
    const auto is_less = [&](unsigned j) { return sample.load<SortKey>(j) < key; };
    const auto is_not_greater = [&](unsigned j) { return sample.load<SortKey>(j) <= key; };
    splitters.run_begin[i] = alone ? at : first_not(0, count, is_less);
    splitters.run_end[i] = alone ? at + 1 : first_not(0, count, is_not_greater);
}

// ---- A pass: which bucket a key belongs to ---------------------------------------------------

/// Where the keys that a pass reads are. Those of a bucket are one piece; on several GPUs, one from
/// each: first a piece of every bucket from the first GPU, then from the next.
struct Pieces {
    unsigned count;
    const unsigned *begin, *end;  ///< of piece p
    const unsigned* first_tile;   ///< of piece p, and the end of the last's: count + 1
};

/// A pass cuts each of `buckets` buckets into `ways`: bucket b into b * ways, b * ways + 1...
struct Pass {
    unsigned first;  ///< how many buckets come before these, and are cut elsewhere or later
    unsigned buckets, ways;
    unsigned stride;  ///< last buckets in one of the new ones
    Pieces pieces;
    const unsigned* begin;  ///< where bucket b goes, and the end of the last: buckets + 1
    unsigned* counts;       ///< keys of the new buckets: buckets * ways
    unsigned* new_begin;    ///< of the new buckets: buckets * ways + 1
    unsigned* next;         ///< where the next key of a new bucket goes: buckets * ways
};

/// Splitter i lies here in shared memory. After 32 of them one place is left free: the search's
/// first steps read keys that are 32 apart or more, and so in different banks.
__host__ __device__ constexpr unsigned slot_of(unsigned i) { return i + i / kWarpSize; }
constexpr unsigned kSlots = slot_of(255) + 1;
/// The slot of a place in a tile that holds no key of the bucket: after all others.
constexpr unsigned kNoSlot = slot_of(kMaxWays);
static_assert(kNoSlot < 256, "a slot is a byte");

/// A block of kThreads threads, each of which takes kVectors times four keys.
template <class SortKeyType, int kThreadsPerBlock, int kVectorsPerThread, int kBlocksPerSm>
struct PassShape {
    using SortKey = SortKeyType;
    static constexpr unsigned kThreads = kThreadsPerBlock;
    static constexpr unsigned kVectors = kVectorsPerThread;
    static constexpr unsigned kKeys = 4 * kVectors;
    static constexpr unsigned kTile = kThreads * kKeys;
    static constexpr unsigned kBlocks = blocks_bound(kBlocksPerSm, kThreads);
    static_assert(kThreads >= 256, "each new bucket has a thread");
};

/// The keys of a bucket that a block takes.
struct BucketTile {
    unsigned bucket;
    unsigned begin, end;  ///< of its piece
    unsigned first;       ///< of the tile: a multiple of four
    bool is_whole;        ///< all places of the tile belong to the piece
    __device__ bool has(unsigned at) const { return at >= begin && at < end; }
};

/// Finds the block's tile, by all threads; false if there is none.
template <class S>
__device__ bool find_tile(const Pass& pass, BucketTile& tile) {
    __shared__ unsigned piece;
    const Pieces& pieces = pass.pieces;
    if (blockIdx.x >= pieces.first_tile[pieces.count]) return false;
    for (unsigned p = threadIdx.x; p < pieces.count; p += blockDim.x) {
        if (pieces.first_tile[p] <= blockIdx.x && blockIdx.x < pieces.first_tile[p + 1]) piece = p;
    }
    __syncthreads();  // one thread has found it
    tile.bucket = piece % pass.buckets;
    tile.begin = pieces.begin[piece];
    tile.end = pieces.end[piece];
    tile.first = tile.begin / 4 * 4 + (blockIdx.x - pieces.first_tile[piece]) * S::kTile;
    tile.is_whole = tile.first >= tile.begin && tile.first + S::kTile <= tile.end;
    return tile.first < tile.end;
}

/// The position of the thread's key i in a tile: four in a row, the next four a block further on.
template <class S>
__device__ unsigned index_in(const BucketTile& tile, unsigned i) {
    return tile.first + (i / 4 * S::kThreads + threadIdx.x) * 4 + i % 4;
}

/// Loads the thread's items of a tile, in vectors if possible; kLast where the tile has none.
template <class S, class Item>
__device__ void load_items(Item (&item)[S::kKeys], const Item* from, const BucketTile& tile) {
    if (tile.is_whole && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; i += kKeysPerVector<Item>) {
            load_vector(item + i, from + index_in<S>(tile, i));
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            const unsigned at = index_in<S>(tile, i);
            item[i] = tile.has(at) ? from[at] : kLast<Item>;
        }
    }
}

/// Loads the thread's keys of a tile, as ordered ints, without their values; from arrays, or from
/// pairs that are packed.
template <class S>
__device__ void load_ordered(int (&ordered)[S::kKeys], const Arrays& from, const BucketTile& tile) {
    load_items<S>(ordered, reinterpret_cast<const int*>(from.keys), tile);
    if (from.type == KeyType::signed_int) return;
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        ordered[i] = ordered_int_of_bits(static_cast<std::uint32_t>(ordered[i]), from.type);
    }
}
template <class S>
__device__ void load_ordered(int (&ordered)[S::kKeys], const KeyValue* from,
                             const BucketTile& tile) {
    KeyValue pair[S::kKeys];
    load_items<S>(pair, from, tile);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) ordered[i] = ordered_int_in(pair[i]);
}

/// Loads the thread's keys of a tile, with their values.
template <class S, class SortKey>
__device__ void load_tile(SortKey (&key)[S::kKeys], const Arrays& from, const BucketTile& tile) {
    int ordered[S::kKeys];
    int value[S::kKeys] = {};
    if (kHasValue<SortKey>) load_items<S>(value, reinterpret_cast<const int*>(from.values), tile);
    load_ordered<S>(ordered, from, tile);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        key[i] = make_sort_key<SortKey>(ordered[i], static_cast<std::uint32_t>(value[i]));
    }
}
template <class S>
__device__ void load_tile(KeyValue (&key)[S::kKeys], const KeyValue* from, const BucketTile& tile) {
    load_items<S>(key, from, tile);
}

/// The place of the thread's v-th four slots of the block's tile, a byte each.
template <class S>
__device__ unsigned slots_index(unsigned v) {
    return (blockIdx.x * S::kVectors + v) * S::kThreads + threadIdx.x;
}

/// Byte i, counted from the lowest.
__device__ inline unsigned byte_of(unsigned bytes, unsigned i) { return bytes >> (8 * i) & 255; }

}  // namespace sorting
