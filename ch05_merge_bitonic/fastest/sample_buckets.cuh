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

/// sample[i], i < count: some key of the i-th of `count` equal parts of the keys; positions[i],
/// where keys have values: where it is. Also clears the counters of later kernels, of which there
/// are fewer.
template <class SortKey>
__global__ void sample_kernel(const std::uint32_t* keys, unsigned n, KeyType type, unsigned seed,
                              std::uint32_t* sample, unsigned* positions, unsigned count,
                              unsigned* counters, unsigned number_of_counters) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    if (i < number_of_counters) counters[i] = 0;
    const auto begin_of = [&](unsigned part) {
        return static_cast<unsigned>(static_cast<unsigned long long>(part) * n / count);
    };
    const unsigned begin = begin_of(i);
    const unsigned part = max(begin_of(i + 1) - begin, 1u);
    const unsigned at = begin + __umulhi(scrambled(seed + i), part);
    sample[i] = static_cast<std::uint32_t>(ordered_int_of_bits(keys[at], type));
    if constexpr (kHasValue<SortKey>) positions[i] = at;
}

/// Splitters, of which every one of the last buckets but the first has one: no key in an earlier
/// bucket is greater.
template <class SortKey>
struct Splitters {
    const int* sample;          ///< sorted
    const unsigned* positions;  ///< of the sample's keys, where keys have values
    SortKey* key;               ///< of bucket i: number i * kSampled of the sample
    unsigned* run_begin;        ///< keys alone: where in the sample keys equal to it begin
    unsigned* run_end;          ///< and end
    unsigned buckets;
};

/// The first index in the sorted sample whose key is not less than `key`, or (kAfter) is greater.
template <bool kAfter>
__device__ unsigned index_in_sample(const int* sample, unsigned count, int key) {
    unsigned low = 0;
    unsigned high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = kAfter ? sample[middle] <= key : sample[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/// And the first pass's only bucket: all n keys, in so many tiles.
template <class SortKey>
__global__ void splitters_kernel(Splitters<SortKey> splitters, unsigned n, unsigned tiles,
                                 unsigned* begin, unsigned* first_tile) {
    grid_dependency_synchronize();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) {
        begin[i] = i * n;
        first_tile[i] = i * tiles;
    }
    if (i >= splitters.buckets) return;
    const unsigned at = i * kSampled;
    const int key = splitters.sample[at];
    if constexpr (kHasValue<SortKey>) {  // no two are equal
        splitters.key[i] = make_sort_key<SortKey>(key, splitters.positions[at]);
    } else {
        const unsigned count = splitters.buckets * kSampled;
        splitters.key[i] = key;
        const bool alone =
            (at == 0 || splitters.sample[at - 1] < key) && key < splitters.sample[at + 1];
        splitters.run_begin[i] = alone ? at : index_in_sample<false>(splitters.sample, count, key);
        splitters.run_end[i] = alone ? at + 1 : index_in_sample<true>(splitters.sample, count, key);
    }
}

// ---- A pass: which bucket a key belongs to ---------------------------------------------------

/// A pass cuts each of `buckets` buckets into `ways`: bucket b into b * ways, b * ways + 1...
struct Pass {
    unsigned buckets, ways;
    unsigned stride;       ///< last buckets in one of the new ones
    unsigned* begin;       ///< of bucket b, and the end of the last: buckets + 1
    unsigned* first_tile;  ///< of bucket b, and their number: buckets + 1
    unsigned* counts;      ///< keys of the new buckets: buckets * ways
    unsigned* new_begin;   ///< of the new buckets: buckets * ways + 1
    unsigned* next;        ///< where the next key of a new bucket goes: buckets * ways
};

/// Splitter i lies here in shared memory. After 32 of them one place is left free: the search's
/// first steps read keys that are 32 apart or more, and so in different banks.
__host__ __device__ constexpr unsigned slot_of(unsigned i) { return i + i / 32; }
constexpr unsigned kSlots = slot_of(255) + 1;
static_assert(slot_of(kMaxWays - 1) < 256, "a slot is a byte");

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

/// The array that a pass, or the sort of a bucket, reads: aligned, so that four keys from a
/// multiple of four on are whole vectors. It begins up to three keys before the array's first.
template <class From>
struct Source {
    const From* keys;
    unsigned skew;  ///< keys before the array

    __device__ explicit Source(const From* from)
        : keys(from), skew(reinterpret_cast<std::uintptr_t>(from) / sizeof(From) % 4) {
        keys -= skew;
    }
};

/// What is sorted, from what a pass reads: where keys have values, the first pass reads keys, and a
/// key's index is where it lies.
template <class SortKey, class From>
__device__ SortKey sort_key_from(From from, unsigned index) {
    if constexpr (kHasValue<SortKey> && !kHasValue<From>) {
        return make_sort_key<SortKey>(from, index);
    } else {
        return from;
    }
}

/// A key of the source as an int of its order. A KeyIndex has it already.
template <class From>
__device__ From ordered(From from, KeyType type) {
    if constexpr (kHasValue<From>) {
        return from;
    } else {
        return ordered_int_of_bits(static_cast<std::uint32_t>(from), type);
    }
}

/// The keys of a bucket that a block takes, as indices in a source.
struct BucketTile {
    unsigned bucket;
    unsigned begin, end;  ///< of the bucket
    unsigned first;       ///< of the tile: a multiple of four
    __device__ bool whole(unsigned tile) const { return first >= begin && first + tile <= end; }
};

/// How many tiles of so many keys the keys [begin, end) take.
__host__ __device__ inline unsigned tiles_of(unsigned begin, unsigned end, unsigned tile) {
    return begin < end ? (end - begin / 4 * 4 + tile - 1) / tile : 0;
}

/// Finds the block's tile, by all threads; false where there is none.
template <class S>
__device__ bool find_tile(const Pass& pass, unsigned skew, BucketTile& found) {
    __shared__ unsigned bucket;
    if (blockIdx.x >= pass.first_tile[pass.buckets]) return false;
    for (unsigned b = threadIdx.x; b < pass.buckets; b += blockDim.x) {
        if (pass.first_tile[b] <= blockIdx.x && blockIdx.x < pass.first_tile[b + 1]) bucket = b;
    }
    __syncthreads();  // one thread has found it
    found.bucket = bucket;
    found.begin = pass.begin[bucket] + skew;
    found.end = pass.begin[bucket + 1] + skew;
    found.first = found.begin / 4 * 4 + (blockIdx.x - pass.first_tile[bucket]) * S::kTile;
    return true;
}

/// Where the thread's v-th four keys begin.
template <class S>
__device__ unsigned vector_at(const BucketTile& tile, unsigned v) {
    return tile.first + (v * S::kThreads + threadIdx.x) * 4;
}

/// Loads the thread's keys of a whole tile, in their order.
template <class S, class From>
__device__ void load_tile_keys(From (&key)[S::kKeys], const Source<From>& source,
                               const BucketTile& tile, KeyType type) {
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) {
#pragma unroll
        for (unsigned j = 0; j < 4; j += kKeysPerVector<From>) {
            load_vector(key + 4 * v + j, source.keys + vector_at<S>(tile, v) + j);
        }
    }
    if constexpr (!kHasValue<From>) {
        if (type == KeyType::signed_int) return;
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) key[i] = ordered(key[i], type);
    }
}

/// A tile that is not whole, key by key: use(at, fetch(at)) for the thread's positions. Eight are
/// fetched at a time, since use() may add to counts, before which the compiler fetches nothing.
template <class S, class Fetch, class Use>
__device__ void for_each_key(const BucketTile& tile, const Fetch& fetch, const Use& use) {
    constexpr unsigned kBatch = 8;
    const unsigned begin = max(tile.first, tile.begin);
    const unsigned end = min(tile.first + S::kTile, tile.end);
#pragma unroll 1
    for (unsigned batch = begin + threadIdx.x; batch < end; batch += kBatch * S::kThreads) {
        decltype(fetch(0u)) fetched[kBatch] = {};
#pragma unroll
        for (unsigned i = 0; i < kBatch; ++i) {
            const unsigned at = batch + i * S::kThreads;
            if (at < end) fetched[i] = fetch(at);
        }
#pragma unroll
        for (unsigned i = 0; i < kBatch; ++i) {
            const unsigned at = batch + i * S::kThreads;
            if (at < end) use(at, fetched[i]);
        }
    }
}

/// The splitters that the first three steps of a search ask for, in registers.
template <class SortKey>
struct FirstSplitters {
    SortKey half, quarter[2], eighth[4];

    __device__ explicit FirstSplitters(const SortKey* splitters) : half(splitters[slot_of(127)]) {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) quarter[i] = splitters[slot_of(128 * i + 63)];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) eighth[i] = splitters[slot_of(64 * i + 31)];
    }
};

/// The slot of the new bucket that the key belongs to: the number of splitters that are less, by
/// a binary search without a branch. There are 255, those behind the last of `ways` - 1 kLast.
template <class SortKey>
__device__ unsigned find_slot(const SortKey* splitters, const FirstSplitters<SortKey>& first,
                              unsigned ways, SortKey key) {
    const bool upper_half = first.half < key;
    const bool upper_quarter = (upper_half ? first.quarter[1] : first.quarter[0]) < key;
    const SortKey lower = upper_quarter ? first.eighth[1] : first.eighth[0];
    const SortKey upper = upper_quarter ? first.eighth[3] : first.eighth[2];
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

/// Where a key that is equal to the splitter at `slot` belongs: any slot among those that equal
/// keys of the sample have, by its position.
__device__ inline unsigned slot_among_equals(const Pass& pass, const Splitters<int>& splitters,
                                             unsigned bucket, unsigned slot, unsigned position) {
    const unsigned way = slot - slot / 33;  // slot_of(way) == slot
    const unsigned splitter = (bucket * pass.ways + way + 1) * pass.stride;
    const unsigned sampled = pass.stride * kSampled;  // in a new bucket
    const unsigned first = bucket * pass.ways * sampled;
    const unsigned begin = max(splitters.run_begin[splitter], first);
    const unsigned end = min(splitters.run_end[splitter], first + pass.ways * sampled);
    const unsigned at = begin + __umulhi(position * 2654435769u, end - begin);
    return slot_of((at - first) / sampled);
}

/// Byte i, from the lowest one.
__device__ inline unsigned byte_of(unsigned bytes, unsigned i) { return bytes >> (8 * i) & 255; }

/// Counts the keys of the new buckets, in all and of each tile, and notes for each key of the
/// source its slot.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    count_buckets_kernel(const From* from, KeyType type, Pass pass,
                         Splitters<typename S::SortKey> splitters, unsigned char* slots,
                         unsigned short* tile_counts) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    __shared__ SortKey splitter[kSlots];
    __shared__ unsigned counts[kSlots];
    const Source<From> source(from);
    BucketTile tile;
    if (!find_tile<S>(pass, source.skew, tile)) return;
    bool many_equal = false;
    if (threadIdx.x < 256) {
        SortKey key = kLast<SortKey>;
        if (threadIdx.x + 1 < pass.ways) {
            const unsigned at = (tile.bucket * pass.ways + threadIdx.x + 1) * pass.stride;
            key = splitters.key[at];
            if constexpr (!kHasValue<SortKey>) {
                // Fewer than a quarter of a bucket may go to any bucket.
                many_equal = splitters.run_end[at] - splitters.run_begin[at] > kSampled / 4;
            }
        }
        splitter[slot_of(threadIdx.x)] = key;
        counts[slot_of(threadIdx.x)] = 0;
    }
    const bool spread = __syncthreads_or(many_equal) != 0;  // and all splitters are there
    const FirstSplitters<SortKey> first(splitter);
    const auto spread_equal = [&](unsigned& slot, SortKey key, unsigned at) {
        if constexpr (!kHasValue<SortKey>) {
            if (slot >= slot_of(pass.ways - 1) || splitter[slot] != key) return;
            slot = slot_among_equals(pass, splitters, tile.bucket, slot, at);
        }
    };
    if (tile.whole(S::kTile)) {
        From key[S::kKeys];
        load_tile_keys<S>(key, source, tile, type);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned at = vector_at<S>(tile, v);
            unsigned slot[4];
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned index = at + j - source.skew;
                slot[j] = find_slot(splitter, first, pass.ways,
                                    sort_key_from<SortKey>(key[4 * v + j], index));
            }
            if (spread) {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) spread_equal(slot[j], key[4 * v + j], at + j);
            }
            *reinterpret_cast<unsigned*>(slots + at) =
                slot[0] + (slot[1] << 8) + (slot[2] << 16) + (slot[3] << 24);
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) atomicAdd(&counts[slot[j]], 1u);
        }
    } else {
        const auto fetch = [&](unsigned at) {
            return sort_key_from<SortKey>(ordered(source.keys[at], type), at - source.skew);
        };
        for_each_key<S>(tile, fetch, [&](unsigned at, SortKey key) {
            unsigned slot = find_slot(splitter, first, pass.ways, key);
            if (spread) spread_equal(slot, key, at);
            slots[at] = static_cast<unsigned char>(slot);
            atomicAdd(&counts[slot], 1u);
        });
    }
    __syncthreads();  // all keys are counted
    if (threadIdx.x < pass.ways) {
        const unsigned count = counts[slot_of(threadIdx.x)];
        tile_counts[blockIdx.x * 256 + threadIdx.x] = static_cast<unsigned short>(count);
        if (count > 0) atomicAdd(pass.counts + tile.bucket * pass.ways + threadIdx.x, count);
    }
}

/// The sum of the counts of the threads before this one, of the block's first 256. By all threads;
/// `of_warp` must not be in use.
__device__ inline unsigned sum_before(unsigned count, unsigned (&of_warp)[256 / kWarpSize]) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    unsigned sum = count;
#pragma unroll
    for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
        const unsigned other = __shfl_up_sync(kFullMask, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (threadIdx.x < 256 && lane == kWarpSize - 1) of_warp[warp] = sum;
    __syncthreads();  // the sums of all warps are there
#pragma unroll
    for (unsigned i = 0; i < 256 / kWarpSize; ++i) sum += i < warp ? of_warp[i] : 0;
    return sum - count;
}

/// Keys of a new bucket, and where they begin.
struct NewBucket {
    unsigned index, begin, count;
};

/// The new buckets of a bucket: one for each of the block's first `ways` threads. By all threads of
/// a block of 256.
__device__ inline NewBucket begin_buckets(const Pass& pass, unsigned bucket,
                                          unsigned (&of_warp)[256 / kWarpSize]) {
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned index = bucket * pass.ways + threadIdx.x;
    const unsigned count = has_way ? pass.counts[index] : 0;
    const unsigned begin = pass.begin[bucket] + sum_before(count, of_warp);
    if (has_way) {
        pass.new_begin[index] = begin;
        pass.next[index] = begin;
        if (index + 1 == pass.buckets * pass.ways) pass.new_begin[index + 1] = begin + count;
    }
    return {index, begin, count};
}

/// Where a pass's new buckets begin, and their tiles of the next pass; one block, bucket by bucket.
__global__ void begin_tiles_kernel(Pass pass, unsigned* first_tile, unsigned tile, unsigned skew) {
    grid_dependency_synchronize();
    __shared__ unsigned of_warp[2][256 / kWarpSize];
    __shared__ unsigned tiles_before;
    if (threadIdx.x == 0) tiles_before = 0;
    for (unsigned bucket = 0; bucket < pass.buckets; ++bucket) {
        const NewBucket mine = begin_buckets(pass, bucket, of_warp[0]);  // tiles_before is there
        const unsigned begin = mine.begin + skew;
        const unsigned tiles =
            threadIdx.x < pass.ways ? tiles_of(begin, begin + mine.count, tile) : 0;
        const unsigned earlier = tiles_before;
        const unsigned first = earlier + sum_before(tiles, of_warp[1]);  // all have read it
        if (threadIdx.x <= pass.ways) first_tile[mine.index] = first;
        if (threadIdx.x == pass.ways) tiles_before = first;
    }
}

/// Where the last buckets begin; a block of 256 threads a bucket of before.
__global__ void begin_last_kernel(Pass pass) {
    grid_dependency_synchronize();
    __shared__ unsigned of_warp[256 / kWarpSize];
    begin_buckets(pass, blockIdx.x, of_warp);
}

/// Moves the keys of each bucket to the new ones, in no order among themselves. A tile has 256
/// counts.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    move_to_buckets_kernel(const From* from, KeyType type, Pass pass, const unsigned char* slots,
                           const unsigned short* tile_counts, typename S::SortKey* to) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    using Moved = typename S::Moved;
    Moved& moved = *reinterpret_cast<Moved*>(shared_tile<SortKey>());
    const Source<From> source(from);
    BucketTile tile;
    if (!find_tile<S>(pass, source.skew, tile)) return;
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned way_count = has_way ? tile_counts[blockIdx.x * 256 + threadIdx.x] : 0;
    unsigned next = 0;
    if (has_way) next = atomicAdd(pass.next + tile.bucket * pass.ways + threadIdx.x, way_count);
    unsigned before = 0;
    const auto set_next = [&] {
        before = sum_before(way_count, moved.of_warp);
        if (threadIdx.x < 256) moved.next[slot_of(threadIdx.x)] = before;
        __syncthreads();  // it is known where each slot's keys go
    };
    const auto put = [&](SortKey key, unsigned slot, unsigned at) {
        moved.key[at] = key;
        moved.slot[at] = static_cast<unsigned char>(slot);
    };
    if (tile.whole(S::kTile)) {
        From key[S::kKeys];
        unsigned four_slots[S::kVectors];
        load_tile_keys<S>(key, source, tile, type);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            four_slots[v] = *reinterpret_cast<const unsigned*>(slots + vector_at<S>(tile, v));
        }
        set_next();  // while the keys are on their way
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned index = vector_at<S>(tile, v) - source.skew;
            const auto sort_key = [&](unsigned j) {
                return sort_key_from<SortKey>(key[4 * v + j], index + j);
            };
            const unsigned first = byte_of(four_slots[v], 0);
            if (four_slots[v] == first * 0x01010101u) {  // as in data that are sorted
                const unsigned at = atomicAdd(&moved.next[first], 4u);
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) put(sort_key(j), first, at + j);
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) {
                    const unsigned slot = byte_of(four_slots[v], j);
                    put(sort_key(j), slot, atomicAdd(&moved.next[slot], 1u));
                }
            }
        }
    } else {
        set_next();
        struct Fetched {
            SortKey key;
            unsigned slot;
        };
        const auto fetch = [&](unsigned at) {
            const From key = ordered(source.keys[at], type);
            return Fetched{sort_key_from<SortKey>(key, at - source.skew), slots[at]};
        };
        for_each_key<S>(tile, fetch, [&](unsigned, const Fetched& fetched) {
            const unsigned at = atomicAdd(&moved.next[fetched.slot], 1u);
            put(fetched.key, fetched.slot, at);
        });
    }
    // Not earlier: the answer of the first addition takes its time.
    if (has_way) moved.shift[slot_of(threadIdx.x)] = next - before;
    __syncthreads();  // the tile is sorted by slots
    const unsigned count = min(tile.first + S::kTile, tile.end) - max(tile.first, tile.begin);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (at < count) to[at + moved.shift[moved.slot[at]]] = moved.key[at];
    }
}

}  // namespace sorting
