// Where sample_best cuts, and a pass into buckets.
//
//   where to cut      the sample, and splitters from it
//   a pass            which bucket a key belongs to; counting; moving
#pragma once

#include <cstddef>
#include <cstdint>

#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- Where to cut ----------------------------------------------------------------------------

/// Keys of the sample for each of the last buckets.
constexpr unsigned kSampled = 32;

/// A pass cuts a bucket into at most so many: the slot of each among the splitters, slot_of(), is
/// a byte.
constexpr unsigned kMaxWays = 248;

/// A number without a pattern.
__host__ __device__ constexpr unsigned scrambled(unsigned i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

/// Key i of the sample, i < count: some key of the i-th of `count` equal parts of the keys, and its
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

/// Splitters, of which every one of the last buckets but the first has one: no key in an earlier
/// bucket is greater.
template <class SortKey>
struct Splitters {
    Arrays sample;        ///< sorted
    SortKey* key;         ///< of bucket i: number i * kSampled of the sample
    unsigned* run_begin;  ///< where in the sample those equal to it begin
    unsigned* run_end;    ///< and end
    unsigned buckets;
};

/// The first index from `low` on, before `high`, where before(index) is false; else `high`.
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

/// Where the keys lie that a pass reads. Those of a bucket are one piece; on several GPUs one from
/// each: first a piece of every bucket from the first GPU, then from the next one.
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
__host__ __device__ constexpr unsigned slot_of(unsigned i) { return i + i / 32; }
constexpr unsigned kSlots = slot_of(255) + 1;
/// The slot of a place in a tile that is not the bucket's: behind all others.
constexpr unsigned kNoSlot = slot_of(kMaxWays);
static_assert(kNoSlot < 256, "a slot is a byte");

/// A block's tile, sorted by slots, and where its keys go.
template <class SortKey, unsigned kTile>
struct MovedTile {
    SortKey key[kTile];
    unsigned next[kSlots];   ///< of the next key with that slot in the tile
    unsigned shift[kSlots];  ///< from the tile to the new bucket
    unsigned of_warp[256 / kWarpSize];
    unsigned char slot[kTile];
};

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
    using Moved = MovedTile<SortKey, kTile>;
    static constexpr std::size_t kBytes = sizeof(Moved);
};

/// The keys of a bucket that a block takes.
struct BucketTile {
    unsigned bucket;
    unsigned begin, end;  ///< of its piece
    unsigned first;       ///< of the tile: a multiple of four
    bool is_whole;        ///< all places of the tile are the piece's
    __device__ bool has(unsigned at) const { return at >= begin && at < end; }
};

/// Finds the block's tile, by all threads; false where there is none.
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

/// Where the thread's key i of a tile is: four in a row, a block apart from the next four.
template <class S>
__device__ unsigned index_in(const BucketTile& tile, unsigned i) {
    return tile.first + (i / 4 * S::kThreads + threadIdx.x) * 4 + i % 4;
}

/// Loads the thread's items of a tile, in vectors where it can; kLast where the tile has none.
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

/// The splitters that the first three steps of a search ask for, in registers.
struct FirstSplitters {
    int half, quarter[2], eighth[4];

    __device__ explicit FirstSplitters(const int* splitters) : half(splitters[slot_of(127)]) {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) quarter[i] = splitters[slot_of(128 * i + 63)];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) eighth[i] = splitters[slot_of(64 * i + 31)];
    }
};

/// The slot of the new bucket that the key belongs to: the number of splitters that are less, by
/// a binary search without a branch. There are 255, those behind the last of `ways` - 1 kLast. Of
/// pairs only the keys are compared.
__device__ inline unsigned find_slot(const int* splitters, const FirstSplitters& first,
                                     unsigned ways, int key) {
    const bool upper_half = first.half < key;
    const bool upper_quarter = (upper_half ? first.quarter[1] : first.quarter[0]) < key;
    const int lower = upper_quarter ? first.eighth[1] : first.eighth[0];
    const int upper = upper_quarter ? first.eighth[3] : first.eighth[2];
    unsigned slot = upper_half ? slot_of(128) : 0;
    if (upper_quarter) slot += slot_of(64);
    if ((upper_half ? upper : lower) < key) slot += slot_of(32);
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        if (step >= ways) continue;
        if (splitters[slot + slot_of(step - 1)] < key) slot += slot_of(step);
    }
    return slot;
}

/// The way whose slot this is: slot_of(way) == slot.
__device__ inline unsigned way_of(unsigned slot) { return slot - slot / 33; }

/// Where a key that is equal to the splitter at `slot` belongs: any slot among those that equal
/// keys of the sample have, by its position.
template <class SortKey>
__device__ unsigned slot_among_equals(const Pass& pass, const Splitters<SortKey>& splitters,
                                      unsigned bucket, unsigned slot, unsigned position) {
    bucket += pass.first;
    const unsigned splitter = (bucket * pass.ways + way_of(slot) + 1) * pass.stride;
    const unsigned sampled = pass.stride * kSampled;  // in a new bucket
    const unsigned first = bucket * pass.ways * sampled;
    const unsigned begin = max(splitters.run_begin[splitter], first);
    const unsigned end = min(splitters.run_end[splitter], first + pass.ways * sampled);
    const unsigned at = begin + __umulhi(position * 2654435769u, end - begin);
    return slot_of((at - first) / sampled);
}

/// Byte i, from the lowest one.
__device__ inline unsigned byte_of(unsigned bytes, unsigned i) { return bytes >> (8 * i) & 255; }

/// Where the thread's v-th four slots of the block's tile are, a byte each.
template <class S>
__device__ unsigned slots_index(unsigned v) {
    return (blockIdx.x * S::kVectors + v) * S::kThreads + threadIdx.x;
}

/// Counts the keys of the new buckets, in all and of each tile, and notes each key's slot.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    count_buckets_kernel(From from, Pass pass, Splitters<typename S::SortKey> splitters,
                         unsigned* slots, unsigned short* tile_counts) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    __shared__ SortKey splitter[kSlots];
    __shared__ int splitter_key[kSlots];
    __shared__ unsigned counts[kSlots];
    BucketTile tile;
    if (!find_tile<S>(pass, tile)) return;
    bool many_equal = false;
    if (threadIdx.x < 256) {
        SortKey key = kLast<SortKey>;
        if (threadIdx.x + 1 < pass.ways) {
            const unsigned bucket = pass.first + tile.bucket;
            const unsigned at = (bucket * pass.ways + threadIdx.x + 1) * pass.stride;
            key = splitters.key[at];
            // Fewer than a quarter of a bucket may go to any bucket.
            many_equal = splitters.run_end[at] - splitters.run_begin[at] > kSampled / 4;
        }
        splitter[slot_of(threadIdx.x)] = key;
        splitter_key[slot_of(threadIdx.x)] = ordered_int_in(key);
        counts[slot_of(threadIdx.x)] = 0;
    }
    const bool spread = __syncthreads_or(many_equal) != 0;  // and all splitters are there
    const FirstSplitters first(splitter_key);
    const unsigned last = slot_of(pass.ways - 1);
    // What find_slot() does not do: for keys that are equal to a splitter's.
    const auto settle_equal = [&](unsigned& slot, int ordered, unsigned at) {
        if (slot >= last || splitter_key[slot] != ordered) return;
        if constexpr (kHasValue<SortKey>) {
            const auto pair = load_key<SortKey>(from, at);
            const auto is_less = [&](unsigned way) { return splitter[slot_of(way)] < pair; };
            slot = slot_of(first_not(way_of(slot), pass.ways - 1, is_less));
            if (slot >= last || splitter[slot] != pair) return;
        }
        if (spread) slot = slot_among_equals(pass, splitters, tile.bucket, slot, at);
    };
    int ordered[S::kKeys];
    load_ordered<S>(ordered, from, tile);
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) {
        unsigned slot[4];
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            slot[j] = find_slot(splitter_key, first, pass.ways, ordered[4 * v + j]);
        }
        if (kHasValue<SortKey> || spread) {
            bool some_equal = false;
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                some_equal |= splitter_key[slot[j]] == ordered[4 * v + j];
            }
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned at = index_in<S>(tile, 4 * v + j);
                if (some_equal && tile.has(at)) settle_equal(slot[j], ordered[4 * v + j], at);
            }
        }
        if (!tile.is_whole) {
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                if (!tile.has(index_in<S>(tile, 4 * v + j))) slot[j] = kNoSlot;
            }
        }
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) atomicAdd(&counts[slot[j]], 1u);
        slots[slots_index<S>(v)] = slot[0] + (slot[1] << 8) + (slot[2] << 16) + (slot[3] << 24);
    }
    __syncthreads();  // all keys are counted
    if (threadIdx.x < pass.ways) {
        const unsigned count = counts[slot_of(threadIdx.x)];
        tile_counts[blockIdx.x * 256 + threadIdx.x] = static_cast<unsigned short>(count);
        if (count > 0) atomicAdd(pass.counts + tile.bucket * pass.ways + threadIdx.x, count);
    }
}

/// Where a pass's new buckets begin, and their tiles of the next pass, of `tile` keys, of which
/// each bucket may have one that is empty. A block of 256 threads for each bucket.
__global__ void begin_buckets_kernel(Pass pass, unsigned* first_tile, unsigned tile) {
    grid_dependency_synchronize();
    __shared__ unsigned of_warp[256 / kWarpSize];
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned index = blockIdx.x * pass.ways + threadIdx.x;
    unsigned all;
    const unsigned before = sum_before(has_way ? pass.counts[index] : 0, of_warp, all);
    const unsigned begin = pass.begin[blockIdx.x] + before;
    const bool is_last = blockIdx.x + 1 == pass.buckets && threadIdx.x == pass.ways;
    if (!has_way && !is_last) return;
    pass.new_begin[index] = begin;
    first_tile[index] = (begin - pass.begin[0] / 4 * 4) / tile + index;
    if (has_way) pass.next[index] = begin;
}

/// Moves the keys of each bucket to the new ones, in no order among themselves. A tile has 256
/// counts.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    move_to_buckets_kernel(From from, Pass pass, const unsigned* slots,
                           const unsigned short* tile_counts, typename S::SortKey* to) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    using Moved = typename S::Moved;
    Moved& moved = *reinterpret_cast<Moved*>(shared_tile<SortKey>());
    BucketTile tile;
    if (!find_tile<S>(pass, tile)) return;
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned way_count = has_way ? tile_counts[blockIdx.x * 256 + threadIdx.x] : 0;
    unsigned next = 0;
    if (has_way) next = atomicAdd(pass.next + tile.bucket * pass.ways + threadIdx.x, way_count);
    const auto put = [&](SortKey key, unsigned slot, unsigned at) {
        moved.key[at] = key;
        moved.slot[at] = static_cast<unsigned char>(slot);
    };
    SortKey key[S::kKeys];
    unsigned four[S::kVectors];
    load_tile<S>(key, from, tile);
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) four[v] = slots[slots_index<S>(v)];
    // While the keys are on their way:
    unsigned count;
    const unsigned before = sum_before(way_count, moved.of_warp, count);
    if (threadIdx.x < 256) moved.next[slot_of(threadIdx.x)] = before;
    __syncthreads();  // it is known where each slot's keys go
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) {
        const unsigned first = byte_of(four[v], 0);
        if (four[v] == first * 0x01010101u) {  // as in data that are sorted
            if (first == kNoSlot) continue;
            const unsigned at = atomicAdd(&moved.next[first], 4u);
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) put(key[4 * v + j], first, at + j);
        } else {
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned slot = byte_of(four[v], j);
                put(key[4 * v + j], slot, atomicAdd(&moved.next[slot], 1u));
            }
        }
    }
    // Not earlier: the answer of the first addition takes its time.
    if (has_way) moved.shift[slot_of(threadIdx.x)] = next - before;
    __syncthreads();  // the tile is sorted by slots
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (at < count) to[at + moved.shift[moved.slot[at]]] = moved.key[at];
    }
}

}  // namespace sorting
