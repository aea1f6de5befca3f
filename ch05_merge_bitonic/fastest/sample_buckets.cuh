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

/// The first index in the sorted sample whose key is not less than `key`, or (kAfter) is greater.
template <bool kAfter, class SortKey>
__device__ unsigned index_in_sample(const Arrays& sample, unsigned count, SortKey key) {
    unsigned low = 0;
    unsigned high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const auto there = sample.load<SortKey>(middle);
        const bool before = kAfter ? there <= key : there < key;
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
    const Arrays& sample = splitters.sample;
    const SortKey key = sample.load<SortKey>(at);
    const unsigned count = splitters.buckets * kSampled;
    const bool alone =
        (at == 0 || sample.load<SortKey>(at - 1) < key) && key < sample.load<SortKey>(at + 1);
    splitters.key[i] = key;
    splitters.run_begin[i] = alone ? at : index_in_sample<false>(sample, count, key);
    splitters.run_end[i] = alone ? at + 1 : index_in_sample<true>(sample, count, key);
}

// ---- A pass: which bucket a key belongs to ---------------------------------------------------

/// Where the keys lie that a pass reads. Those of a bucket are one piece; on several GPUs one from
/// each: first a piece of every bucket from the first GPU, then from the next one.
struct Pieces {
    unsigned count;
    const unsigned *begin, *end;  ///< of piece p
    const unsigned* first_tile;   ///< of piece p, and their number: count + 1
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

/// The keys of a bucket that a block takes, as indices in a source.
struct BucketTile {
    unsigned bucket;
    unsigned begin, end;  ///< of its piece
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
    __shared__ unsigned piece;
    const Pieces& pieces = pass.pieces;
    if (blockIdx.x >= pieces.first_tile[pieces.count]) return false;
    for (unsigned p = threadIdx.x; p < pieces.count; p += blockDim.x) {
        if (pieces.first_tile[p] <= blockIdx.x && blockIdx.x < pieces.first_tile[p + 1]) piece = p;
    }
    __syncthreads();  // one thread has found it
    found.bucket = piece % pass.buckets;
    found.begin = pieces.begin[piece] + skew;
    found.end = pieces.end[piece] + skew;
    found.first = found.begin / 4 * 4 + (blockIdx.x - pieces.first_tile[piece]) * S::kTile;
    return true;
}

/// Where the thread's v-th four keys begin.
template <class S>
__device__ unsigned vector_at(const BucketTile& tile, unsigned v) {
    return tile.first + (v * S::kThreads + threadIdx.x) * 4;
}

/// Keys before an array's first, if it is to begin where four keys are whole vectors.
template <class Element>
__host__ __device__ unsigned skew_of(const Element* array) {
    return reinterpret_cast<std::uintptr_t>(array) / sizeof(Element) % 4;
}

/// What a pass, or the sort of a bucket, reads. An index counts from `skew` keys before the array.
template <class SortKey>
struct Source {
    const SortKey* keys;
    unsigned skew;

    __device__ explicit Source(const SortKey* from) : keys(from), skew(skew_of(from)) {
        keys -= skew;
    }

    __device__ SortKey load(unsigned at) const { return keys[at]; }

    /// The thread's keys of a whole tile.
    template <class S>
    __device__ void load_tile(SortKey (&key)[S::kKeys], const BucketTile& tile) const {
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; i += kKeysPerVector<SortKey>) {
            load_vector(key + i, keys + vector_at<S>(tile, i / 4) + i % 4);
        }
    }

    /// The same without their values.
    template <class S>
    __device__ void load_ordered(int (&ordered)[S::kKeys], const BucketTile& tile) const {
        SortKey key[S::kKeys];
        load_tile<S>(key, tile);
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) ordered[i] = ordered_int_in(key[i]);
    }
};

/// The same for keys that are packed as they are loaded.
template <class SortKey>
struct UnpackedSource {
    Arrays arrays;
    unsigned skew;

    __device__ explicit UnpackedSource(const Arrays& from)
        : arrays(from), skew(skew_of(from.keys)) {
        arrays.keys -= skew;
        if (kHasValue<SortKey>) arrays.values -= skew;
    }

    __device__ SortKey load(unsigned at) const { return arrays.load<SortKey>(at); }

    template <class S>
    __device__ void load_tile(SortKey (&key)[S::kKeys], const BucketTile& tile) const {
        int ordered[S::kKeys];
        int value[S::kKeys] = {};
        if constexpr (kHasValue<SortKey>) load_bits<S>(value, arrays.values, tile);
        load_ordered<S>(ordered, tile);
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            key[i] = make_sort_key<SortKey>(ordered[i], static_cast<std::uint32_t>(value[i]));
        }
    }

    template <class S>
    __device__ void load_ordered(int (&ordered)[S::kKeys], const BucketTile& tile) const {
        load_bits<S>(ordered, arrays.keys, tile);
        if (arrays.type == KeyType::signed_int) return;
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            ordered[i] = ordered_int_of_bits(static_cast<std::uint32_t>(ordered[i]), arrays.type);
        }
    }

  private:
    /// In vectors where they lie at one: keys and values need not begin alike.
    template <class S>
    static __device__ void load_bits(int (&bits)[S::kKeys], const std::uint32_t* from,
                                     const BucketTile& tile) {
        const int* const ints = reinterpret_cast<const int*>(from);
        const bool in_vectors = is_aligned(from);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const int* const four = ints + vector_at<S>(tile, v);
            if (in_vectors) {
                load_vector(bits + 4 * v, four);
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) bits[4 * v + j] = four[j];
            }
        }
    }
};

/// Keys that are to be packed, or keys that are.
template <class SortKey>
__device__ UnpackedSource<SortKey> source_of(const Arrays& arrays) {
    return UnpackedSource<SortKey>(arrays);
}
template <class SortKey>
__device__ Source<SortKey> source_of(const SortKey* keys) {
    return Source<SortKey>(keys);
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

/// Where a pair belongs whose key is equal to that of the splitter at `slot`: as find_slot(), but
/// the values are compared as well.
__device__ inline unsigned find_slot_of_pair(const KeyValue* splitters, unsigned slot,
                                             unsigned ways, KeyValue pair) {
    unsigned low = way_of(slot);
    unsigned high = ways - 1;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool less = splitters[slot_of(middle)] < pair;
        low = less ? middle + 1 : low;
        high = less ? high : middle;
    }
    return slot_of(low);
}

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

/// Counts the keys of the new buckets, in all and of each tile, and notes for each key of the
/// source its slot.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    count_buckets_kernel(From from, Pass pass, Splitters<typename S::SortKey> splitters,
                         unsigned char* slots, unsigned short* tile_counts) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    __shared__ SortKey splitter[kSlots];
    __shared__ int splitter_key[kSlots];
    __shared__ unsigned counts[kSlots];
    const auto source = source_of<SortKey>(from);
    BucketTile tile;
    if (!find_tile<S>(pass, source.skew, tile)) return;
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
            const SortKey pair = source.load(at);
            slot = find_slot_of_pair(splitter, slot, pass.ways, pair);
            if (slot >= last || splitter[slot] != pair) return;
        }
        if (spread) slot = slot_among_equals(pass, splitters, tile.bucket, slot, at);
    };
    if (tile.whole(S::kTile)) {
        int ordered[S::kKeys];
        source.template load_ordered<S>(ordered, tile);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned at = vector_at<S>(tile, v);
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
                    if (some_equal) settle_equal(slot[j], ordered[4 * v + j], at + j);
                }
            }
            *reinterpret_cast<unsigned*>(slots + at) =
                slot[0] + (slot[1] << 8) + (slot[2] << 16) + (slot[3] << 24);
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) atomicAdd(&counts[slot[j]], 1u);
        }
    } else {
        const auto fetch = [&](unsigned at) { return ordered_int_in(source.load(at)); };
        for_each_key<S>(tile, fetch, [&](unsigned at, int ordered) {
            unsigned slot = find_slot(splitter_key, first, pass.ways, ordered);
            settle_equal(slot, ordered, at);
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
    move_to_buckets_kernel(From from, Pass pass, const unsigned char* slots,
                           const unsigned short* tile_counts, typename S::SortKey* to) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    using Moved = typename S::Moved;
    Moved& moved = *reinterpret_cast<Moved*>(shared_tile<SortKey>());
    const auto source = source_of<SortKey>(from);
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
        SortKey key[S::kKeys];
        unsigned four_slots[S::kVectors];
        source.template load_tile<S>(key, tile);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            four_slots[v] = *reinterpret_cast<const unsigned*>(slots + vector_at<S>(tile, v));
        }
        set_next();  // while the keys are on their way
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned first = byte_of(four_slots[v], 0);
            if (four_slots[v] == first * 0x01010101u) {  // as in data that are sorted
                const unsigned at = atomicAdd(&moved.next[first], 4u);
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) put(key[4 * v + j], first, at + j);
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) {
                    const unsigned slot = byte_of(four_slots[v], j);
                    put(key[4 * v + j], slot, atomicAdd(&moved.next[slot], 1u));
                }
            }
        }
    } else {
        set_next();
        struct Fetched {
            SortKey key;
            unsigned slot;
        };
        const auto fetch = [&](unsigned at) { return Fetched{source.load(at), slots[at]}; };
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
