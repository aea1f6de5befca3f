// sample_best: a sample of the keys, sorted, says where to cut; two passes put every key into its
// bucket, each smaller than a block's tile; then each block sorts a bucket, and nothing is merged.
//
//   where to cut      the sample, and splitters from it
//   a pass            which bucket a key belongs to; counting; moving
//   buckets           each sorted by a block
//   few keys          the same in one launch
//   sample_best       which of them, at which n
//
// Keys that are equal may go to any of the buckets between which their splitters lie, so even
// keys that are all the same fill the buckets evenly. For keys alone: a key does not keep its place
// among its equals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../common/harness/overlapped_launch.hpp"
#include "merge_best.cuh"

namespace sorting {

// ---- Where to cut ----------------------------------------------------------------------------

/// Keys of the sample for each of the last buckets.
constexpr unsigned kSampled = 32;

/// A pass cuts a bucket into at most so many: the place of each among the splitters, slot_of(), is
/// a byte.
constexpr unsigned kMostWays = 248;

/// A number without a pattern.
__host__ __device__ constexpr unsigned scrambled(unsigned i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

/// sample[i], i < count: the word of some key of the i-th of `count` equal parts of the keys. And
/// clears what later kernels count in, of which there is less.
__global__ void sample_kernel(const std::uint32_t* keys, unsigned n, KeyType type,
                              std::uint32_t* sample, unsigned count, unsigned* counters,
                              unsigned number_of_counters) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    if (i < number_of_counters) counters[i] = 0;
    const auto begin_of = [&](unsigned part) {
        return static_cast<unsigned>(static_cast<unsigned long long>(part) * n / count);
    };
    const unsigned begin = begin_of(i);
    const unsigned part = max(begin_of(i + 1) - begin, 1u);
    const unsigned at = begin + __umulhi(scrambled(i), part);
    sample[i] = static_cast<std::uint32_t>(order_of_bits(keys[at], type));
}

/// Splitters, of which every one of the last buckets but the first has one: the least key that it
/// may hold.
struct Splitters {
    const KeyWord* sample;  ///< sorted
    KeyWord* key;           ///< of bucket i: sample[i * kSampled]
    unsigned* run_begin;    ///< where in the sample keys equal to it begin
    unsigned* run_end;      ///< and end
    unsigned buckets;
};

/// The first place of the sorted sample whose key is not less than `key`, or (kAfter) is greater.
template <bool kAfter>
__device__ unsigned place_in_sample(const KeyWord* sample, unsigned count, KeyWord key) {
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

/// And the first pass's only bucket: all n words, in so many tiles.
__global__ void splitters_kernel(Splitters splitters, unsigned n, unsigned tiles, unsigned* begin,
                                 unsigned* first_tile) {
    tutorial::wait_for_launch_before();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) {
        begin[i] = i * n;
        first_tile[i] = i * tiles;
    }
    if (i >= splitters.buckets) return;
    const unsigned count = splitters.buckets * kSampled;
    const unsigned at = i * kSampled;
    const KeyWord key = splitters.sample[at];
    splitters.key[i] = key;
    const bool alone =
        (at == 0 || splitters.sample[at - 1] < key) && key < splitters.sample[at + 1];
    splitters.run_begin[i] = alone ? at : place_in_sample<false>(splitters.sample, count, key);
    splitters.run_end[i] = alone ? at + 1 : place_in_sample<true>(splitters.sample, count, key);
}

// ---- A pass: which bucket a key belongs to ---------------------------------------------------

/// A pass cuts each of `buckets` buckets into `ways`: bucket b into b * ways, b * ways + 1...
struct Pass {
    unsigned buckets, ways;
    unsigned stride;             ///< last buckets in one of the new ones
    const unsigned* begin;       ///< of bucket b, and the end of the last: buckets + 1
    const unsigned* first_tile;  ///< of bucket b, and their number: buckets + 1
    unsigned* counts;            ///< words of the new buckets: buckets * ways
    unsigned* new_begin;         ///< of the new buckets: buckets * ways + 1
    unsigned* next;              ///< where the next word of a new bucket goes: buckets * ways
};

/// A block of kThreads threads, each of which takes kVectors vectors of four keys.
template <int kThreadsPerBlock, int kVectorsPerThread, int kBlocksPerSm>
struct PassShape {
    static constexpr unsigned kThreads = kThreadsPerBlock;
    static constexpr unsigned kVectors = kVectorsPerThread;
    static constexpr unsigned kKeys = 4 * kVectors;
    static constexpr unsigned kTile = kThreads * kKeys;
    static constexpr unsigned kBlocks = tutorial::blocks_bound(kBlocksPerSm, kThreads);
    static_assert(kThreads >= 256, "each new bucket has a thread");
};

/// Splitter i lies here in shared memory. After 32 of them one word is left free: the search's
/// first steps read words that are 32 apart or more, and so in different banks.
__host__ __device__ constexpr unsigned slot_of(unsigned i) { return i + i / 32; }
constexpr unsigned kSlots = slot_of(255) + 1;
static_assert(slot_of(kMostWays - 1) < 256, "a slot is a byte");

/// The words of a bucket that a block takes, as positions in an array of vectors.
struct BucketTile {
    unsigned bucket;
    unsigned begin, end;  ///< of the bucket
    unsigned first;       ///< of the tile: a multiple of four
    __device__ bool whole(unsigned tile) const { return first >= begin && first + tile <= end; }
};

/// How many tiles of so many words the words [begin, end) take.
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

/// Where the thread's v-th vector begins.
template <class S>
__device__ unsigned vector_at(const BucketTile& tile, unsigned v) {
    return tile.first + (v * S::kThreads + threadIdx.x) * 4;
}

/// Loads the thread's keys of a whole tile as words.
template <class S>
__device__ void load_words(KeyWord (&word)[S::kKeys], const Source& source, const BucketTile& tile,
                           KeyType type) {
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) {
        load_vector(word + 4 * v, source.vectors + vector_at<S>(tile, v));
    }
    if (type == KeyType::signed_int) return;
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        word[i] = order_of_bits(static_cast<std::uint32_t>(word[i]), type);
    }
}

/// A tile that is not whole, word by word: use(at, fetch(at)) for the thread's positions. Eight are
/// fetched at a time, since use() may add to counts, before which the compiler fetches nothing.
template <class S, class Fetch, class Use>
__device__ void for_each_word(const BucketTile& tile, const Fetch& fetch, const Use& use) {
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
    KeyWord half, quarter[2], eighth[4];

    __device__ explicit FirstSplitters(const KeyWord* splitters) : half(splitters[slot_of(127)]) {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) quarter[i] = splitters[slot_of(128 * i + 63)];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) eighth[i] = splitters[slot_of(64 * i + 31)];
    }
};

/// The slot of the new bucket that the word belongs to: the number of splitters that are less, by
/// a binary search without a branch. There are 255, those behind the last of `ways` - 1 kLast.
__device__ inline unsigned find_slot(const KeyWord* splitters, const FirstSplitters& first,
                                     unsigned ways, KeyWord word) {
    const bool upper_half = first.half < word;
    const bool upper_quarter = (upper_half ? first.quarter[1] : first.quarter[0]) < word;
    const KeyWord lower = upper_quarter ? first.eighth[1] : first.eighth[0];
    const KeyWord upper = upper_quarter ? first.eighth[3] : first.eighth[2];
    unsigned slot = upper_half ? slot_of(128) : 0;
    if (upper_quarter) slot += slot_of(64);
    if ((upper_half ? upper : lower) < word) slot += slot_of(32);
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        if (step >= ways) continue;
        if (splitters[slot + slot_of(step - 1)] < word) slot += slot_of(step);
    }
    return slot;
}

/// Where a word that is equal to the splitter at `slot` belongs: any place among those that equal
/// keys of the sample have, by its position.
__device__ inline unsigned slot_among_equals(const Pass& pass, const Splitters& splitters,
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

/// Counts the words of the new buckets, in all and of each tile, and notes for each word of the
/// source its slot.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    count_buckets_kernel(const KeyWord* from, unsigned n, KeyType type, Pass pass,
                         Splitters splitters, unsigned char* slots, unsigned short* tile_counts) {
    tutorial::wait_for_launch_before();
    __shared__ KeyWord splitter[kSlots];
    __shared__ unsigned counts[kSlots];
    const Source source(from, n);
    BucketTile tile;
    if (!find_tile<S>(pass, source.skew, tile)) return;
    bool many_equal = false;
    if (threadIdx.x < 256) {
        KeyWord key = kLast<KeyWord>;
        if (threadIdx.x + 1 < pass.ways) {
            const unsigned at = (tile.bucket * pass.ways + threadIdx.x + 1) * pass.stride;
            key = splitters.key[at];
            // Fewer than a quarter of a bucket may go where they like.
            many_equal = splitters.run_end[at] - splitters.run_begin[at] > kSampled / 4;
        }
        splitter[slot_of(threadIdx.x)] = key;
        counts[slot_of(threadIdx.x)] = 0;
    }
    const bool spread = __syncthreads_or(many_equal) != 0;  // and all splitters are there
    const FirstSplitters first(splitter);
    const auto spread_equal = [&](unsigned& slot, KeyWord word, unsigned at) {
        if (slot >= slot_of(pass.ways - 1) || splitter[slot] != word) return;
        slot = slot_among_equals(pass, splitters, tile.bucket, slot, at);
    };
    if (tile.whole(S::kTile)) {
        KeyWord word[S::kKeys];
        load_words<S>(word, source, tile, type);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned at = vector_at<S>(tile, v);
            unsigned slot[4];
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                slot[j] = find_slot(splitter, first, pass.ways, word[4 * v + j]);
            }
            if (spread) {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) spread_equal(slot[j], word[4 * v + j], at + j);
            }
            *reinterpret_cast<unsigned*>(slots + at) =
                slot[0] + (slot[1] << 8) + (slot[2] << 16) + (slot[3] << 24);
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) atomicAdd(&counts[slot[j]], 1u);
        }
    } else {
        const auto fetch = [&](unsigned at) {
            return order_of_bits(static_cast<std::uint32_t>(source.vectors[at]), type);
        };
        for_each_word<S>(tile, fetch, [&](unsigned at, KeyWord word) {
            unsigned slot = find_slot(splitter, first, pass.ways, word);
            if (spread) spread_equal(slot, word, at);
            slots[at] = static_cast<unsigned char>(slot);
            atomicAdd(&counts[slot], 1u);
        });
    }
    __syncthreads();  // all words are counted
    if (threadIdx.x < pass.ways) {
        const unsigned words = counts[slot_of(threadIdx.x)];
        tile_counts[blockIdx.x * 256 + threadIdx.x] = static_cast<unsigned short>(words);
        if (words > 0) atomicAdd(pass.counts + tile.bucket * pass.ways + threadIdx.x, words);
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
        const unsigned other = __shfl_up_sync(kFullWarp, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (threadIdx.x < 256 && lane == kWarpSize - 1) of_warp[warp] = sum;
    __syncthreads();  // the sums of all warps are there
#pragma unroll
    for (unsigned i = 0; i < 256 / kWarpSize; ++i) sum += i < warp ? of_warp[i] : 0;
    return sum - count;
}

/// Words of a new bucket, and where they begin.
struct NewBucket {
    unsigned index, begin, words;
};

/// The new bucket of each of the block's first `ways` threads; a block of 256 threads a bucket.
__device__ inline NewBucket begin_buckets(const Pass& pass, unsigned (&of_warp)[256 / kWarpSize]) {
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned index = blockIdx.x * pass.ways + threadIdx.x;
    const unsigned words = has_way ? pass.counts[index] : 0;
    const unsigned begin = pass.begin[blockIdx.x] + sum_before(words, of_warp);
    if (has_way) {
        pass.new_begin[index] = begin;
        pass.next[index] = begin;
        if (index + 1 == pass.buckets * pass.ways) pass.new_begin[index + 1] = begin + words;
    }
    return {index, begin, words};
}

/// Where the first pass's buckets begin, and their tiles of the next pass; a block.
__global__ void begin_tiles_kernel(Pass pass, unsigned* first_tile, unsigned tile, unsigned skew) {
    tutorial::wait_for_launch_before();
    __shared__ unsigned of_warp[2][256 / kWarpSize];
    const NewBucket mine = begin_buckets(pass, of_warp[0]);
    const unsigned begin = mine.begin + skew;
    const unsigned tiles = threadIdx.x < pass.ways ? tiles_of(begin, begin + mine.words, tile) : 0;
    const unsigned before = sum_before(tiles, of_warp[1]);
    if (threadIdx.x <= pass.ways) first_tile[threadIdx.x] = before;
}

/// Where the last buckets begin; a block of 256 threads a bucket of before.
__global__ void begin_last_kernel(Pass pass) {
    tutorial::wait_for_launch_before();
    __shared__ unsigned of_warp[256 / kWarpSize];
    begin_buckets(pass, of_warp);
}

/// The block's tile, sorted by slots, and where its words go.
template <class S>
struct MovedTile {
    KeyWord word[S::kTile];
    unsigned place[kSlots];  ///< of the next word with that slot in the tile
    unsigned shift[kSlots];  ///< from the tile to the new bucket
    unsigned of_warp[256 / kWarpSize];
    unsigned char slot[S::kTile];
};

/// Moves the words of each bucket to the new ones, in no order among themselves. A tile has 256
/// counts.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    move_to_buckets_kernel(const KeyWord* from, unsigned n, KeyType type, Pass pass,
                           const unsigned char* slots, const unsigned short* tile_counts,
                           KeyWord* to) {
    tutorial::wait_for_launch_before();
    MovedTile<S>& moved = *reinterpret_cast<MovedTile<S>*>(shared_tile<KeyWord>());
    const Source source(from, n);
    BucketTile tile;
    if (!find_tile<S>(pass, source.skew, tile)) return;
    const bool has_way = threadIdx.x < pass.ways;
    const unsigned words = has_way ? tile_counts[blockIdx.x * 256 + threadIdx.x] : 0;
    unsigned next = 0;
    if (has_way) next = atomicAdd(pass.next + tile.bucket * pass.ways + threadIdx.x, words);
    unsigned before = 0;
    const auto set_places = [&] {
        before = sum_before(words, moved.of_warp);
        if (threadIdx.x < 256) moved.place[slot_of(threadIdx.x)] = before;
        __syncthreads();  // all places are there
    };
    const auto put = [&](KeyWord word, unsigned slot, unsigned at) {
        moved.word[at] = word;
        moved.slot[at] = static_cast<unsigned char>(slot);
    };
    if (tile.whole(S::kTile)) {
        KeyWord word[S::kKeys];
        unsigned four_slots[S::kVectors];
        load_words<S>(word, source, tile, type);
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            four_slots[v] = *reinterpret_cast<const unsigned*>(slots + vector_at<S>(tile, v));
        }
        set_places();  // while the words are on their way
#pragma unroll
        for (unsigned v = 0; v < S::kVectors; ++v) {
            const unsigned first = byte_of(four_slots[v], 0);
            if (four_slots[v] == first * 0x01010101u) {  // as in data that are sorted
                const unsigned at = atomicAdd(&moved.place[first], 4u);
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) put(word[4 * v + j], first, at + j);
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) {
                    const unsigned slot = byte_of(four_slots[v], j);
                    put(word[4 * v + j], slot, atomicAdd(&moved.place[slot], 1u));
                }
            }
        }
    } else {
        set_places();
        struct Fetched {
            KeyWord word;
            unsigned slot;
        };
        const auto fetch = [&](unsigned at) {
            const std::uint32_t bits = static_cast<std::uint32_t>(source.vectors[at]);
            return Fetched{order_of_bits(bits, type), slots[at]};
        };
        for_each_word<S>(tile, fetch, [&](unsigned, const Fetched& fetched) {
            const unsigned at = atomicAdd(&moved.place[fetched.slot], 1u);
            put(fetched.word, fetched.slot, at);
        });
    }
    // Not earlier: the answer of the first addition takes its time.
    if (has_way) moved.shift[slot_of(threadIdx.x)] = next - before;
    __syncthreads();  // the tile is sorted by slots
    const unsigned count = min(tile.first + S::kTile, tile.end) - max(tile.first, tile.begin);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (at < count) to[at + moved.shift[moved.slot[at]]] = moved.word[at];
    }
}

// ---- Buckets ---------------------------------------------------------------------------------

/// As sort_tile(), but in parts that are sorted each by itself. The warp's begins at `base` and has
/// `used` words, a multiple of the window, kLast among them; 0 if it has none. The longest has
/// `longest`.
template <class S>
__device__ void sort_parts_of_tile(KeyWord (&word)[S::kKeys], KeyWord* tile, unsigned base,
                                   unsigned used, unsigned longest) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const bool mine = out - base < used;
    if (mine) sort_warp(word, tile, out);
#pragma unroll 1
    for (unsigned run = S::kWindow; run < longest; run *= 2) {
        if (mine) store_blocked(word, tile, out);
        __syncthreads();  // the windows are written before others read them
        const unsigned begin = (out - base) & ~(2 * run - 1);
        const bool merges = mine && begin + run < used;  // else the run has no partner
        if (merges) {
            const unsigned first = base + begin;
            const Runs runs = {first, run, first + run, min(run, used - begin - run)};
            load_window<InTile<KeyWord>, S::kTile / 2>(word, tile, runs, out - first, S::kWindow);
        }
        __syncthreads();  // all have read before a window is written again
        if (merges) clean_window(word, tile, out);
    }
}

/// Loads those of the words [begin, end) of an array of vectors that lie in the warp's window,
/// which begins at `first`; kLast instead of the others. In any order.
template <int kKeys>
__device__ void load_around(KeyWord (&word)[kKeys], const KeyWord* vectors, unsigned first,
                            unsigned begin, unsigned end) {
    const unsigned mine = first + threadIdx.x % kWarpSize * 4;
    if (first % 4 == 0 && first >= begin && first + kKeys * kWarpSize <= end) {
#pragma unroll
        for (int i = 0; i < kKeys; i += 4) {
            load_vector(word + i, vectors + mine + i * kWarpSize);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        const unsigned at = mine + i / 4 * 4 * kWarpSize + i % 4;
        word[i] = at >= begin && at < end ? vectors[at] : kLast<KeyWord>;
    }
}

/// Sorts a bucket that a tile does not hold, by one block: tiles are sorted, and merged. Slow, and
/// rare. `keys` may take the place of `words`.
template <class S>
__device__ void sort_large_bucket(KeyWord* tile, KeyWord* words, KeyWord* spare, unsigned count,
                                  KeyType type, std::uint32_t* keys) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    KeyWord word[S::kKeys];
    bool odd = false;  // the last level must not write where it reads
    for (unsigned run = S::kTile; run < count; run *= 2) odd = !odd;
    KeyWord* from = odd ? spare : words;
    KeyWord* to = odd ? words : spare;
    const std::uint32_t* const bits = reinterpret_cast<const std::uint32_t*>(words);
    for (unsigned at = 0; at < count; at += S::kTile) {
        load_and_sort<false, S>(word, tile, bits, nullptr, nullptr, at, count, KeyType::signed_int);
        to_striped(word, tile, out);
        store_window(word, from, at + out + threadIdx.x % kWarpSize, count);
        __syncthreads();  // the tile has been read before it is written again
    }
    const Sorted sorted = {type, nullptr, keys, nullptr};
    for (unsigned run = S::kTile; run < count; run *= 2) {
        __syncthreads();  // the runs are stored before other warps read them
        merge_level<S>(tile, from, to, count, run, 0, 1, sorted);
        KeyWord* const other = from;
        from = to;
        to = other;
    }
}

/// Each block sorts a bucket of words, and stores it as keys. `words` and `spare` have room for
/// all; `keys` may take the words' place.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_buckets_kernel(KeyWord* words, KeyWord* spare, unsigned n, const unsigned* begins,
                        KeyType type, std::uint32_t* keys) {
    tutorial::wait_for_launch_before();
    KeyWord* const tile = shared_tile<KeyWord>();
    const unsigned begin = begins[blockIdx.x];
    const unsigned end = begins[blockIdx.x + 1];
    const unsigned count = end - begin;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    if (count <= S::kTile) {
        KeyWord word[S::kKeys];
        const Source source(words, n);
        const unsigned first = begin + source.skew;
        const unsigned last = end + source.skew;
        // From a vector on, where there is room for words before the bucket's.
        const unsigned from = last - first / 4 * 4 <= S::kTile ? first / 4 * 4 : first;
        const unsigned used = (last - from + S::kWindow - 1) / S::kWindow * S::kWindow;
        load_around(word, source.vectors, from + out, first, last);
        sort_parts_of_tile<S>(word, tile, 0, used, used);
        if (out < used) {
            store_sorted_blocked_window(word, tile, out, begin + out, end, type, nullptr, keys,
                                        nullptr);
        }
        return;
    }
    sort_large_bucket<S>(tile, words + begin, spare + begin, count, type, keys + begin);
}

// ---- Few keys: all in one launch ---------------------------------------------------------------

// A block for each multiprocessor, all of which run at the same time. Each holds its share of the
// keys in registers, until the splitters are known; sorts it by buckets, of which there is one a
// block; then each block fetches its bucket's pieces from all shares, and sorts it.

constexpr unsigned kMostBlocks = 248;
constexpr unsigned kRows = 256;       ///< of the tables that have one for each block
constexpr unsigned kParts = 8;        ///< into which a block cuts its bucket
constexpr unsigned kSampleRows = 64;  ///< room for a share's sample: twice a warp

/// What the blocks share.
struct GridSort {
    std::uint32_t* keys;
    unsigned n, blocks;
    KeyType type;
    KeyWord* sample;     ///< kShareSampled of each block
    PairWord* splitter;  ///< the least of each part of each bucket but the first, and its position
    unsigned* begins;    ///< where in the share of block j bucket i begins: [i * blocks + j]
    KeyWord* moved;      ///< the shares, each sorted by buckets
    KeyWord *words, *spare;  ///< n words each, for a bucket that a tile does not hold

    /// Where the share of a block begins.
    __host__ __device__ unsigned begin_of(unsigned block) const {
        return static_cast<unsigned>(static_cast<unsigned long long>(n) * block / blocks);
    }
};

/// Keys of each share in the sample: a multiple of kParts. To rank them takes as long with few keys
/// as with many, and so there are fewer. With 16 one of three sorts had a bucket that a tile does
/// not hold.
template <class S>
constexpr unsigned kShareSampled = S::kKeys > 4 ? 56 : 32;

/// A part of a bucket: where it lies in the tile, from a window on.
struct Part {
    unsigned base, used;     ///< words of its windows; 0 where there is no part
    unsigned before, words;  ///< words of the bucket before it, and its own
};

/// A block's static shared memory.
struct GridShared {
    KeyWord sampled[kSampleRows], own[kSampleRows];  ///< of the block's share; sorted
    unsigned sampled_at[kSampleRows], own_at[kSampleRows], rank[kSampleRows];
    unsigned position[kRows];  ///< of a bucket's splitter
    /// Of the splitters from this one on that are equal to it: the first whose position is not
    /// before the share, and the end of all.
    unsigned equal_begin[kRows], equal_end[kRows];
    unsigned total[kRows], place[kRows];
    unsigned of_warp[2][256 / kWarpSize];
    unsigned piece_end[kRows], piece_shift[kRows];
    unsigned first_piece[512];
    unsigned part_next[kParts * kWarpSize], part_words[kParts];
    Part part[kWarpSize];  ///< of each window
    unsigned longest_part, parts_fit;
    unsigned bucket_begin, bucket_words;
};

/// A counter has so many copies, which neighbouring lanes take in turns: few of them meet.
constexpr unsigned kCopies = 8;
__device__ inline unsigned counter_of(unsigned row) {
    return row * kCopies + threadIdx.x % kCopies;
}

/// A table in the tile: a row has a copy for each lane, in the lane's bank. No two lanes meet.
__device__ inline unsigned in_lane(unsigned row) {
    return row * kWarpSize + threadIdx.x % kWarpSize;
}

/// How many of a table's first 2 * kHalf - 1 rows, which are sorted, are less than the word; as the
/// place of that row in the lane's copy.
template <unsigned kHalf>
__device__ unsigned find_row(const KeyWord* table, KeyWord word) {
    unsigned at = in_lane(0);
#pragma unroll
    for (unsigned step = kHalf; step > 0; step /= 2) {
        if (table[at + (step - 1) * kWarpSize] < word) at += step * kWarpSize;
    }
    return at;
}

/// The sum of the counts of the lanes below, of those that have the same lane / kLanes.
template <unsigned kLanes>
__device__ unsigned sum_of_lanes_below(unsigned count) {
    unsigned sum = count;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        const unsigned below = __shfl_up_sync(kFullWarp, sum, distance);
        if (threadIdx.x % kLanes >= distance) sum += below;
    }
    return sum - count;
}

/// The position of key i of the sample of a block's share [begin, end): one of each of its parts.
template <class S>
__host__ __device__ unsigned sampled_position(unsigned begin, unsigned end, unsigned block,
                                              unsigned i) {
    const unsigned first = i * (end - begin) / kShareSampled<S>;
    const unsigned last = (i + 1) * (end - begin) / kShareSampled<S>;
    const unsigned part = last > first ? last - first : 1;
    const unsigned long long random = scrambled(block * kSampleRows + i);
    return begin + first + static_cast<unsigned>(random * part >> 32);
}

/// Loads the block's share, as bits, and publishes a sample of it.
template <class S>
__device__ void load_share(const GridSort& sort, GridShared& shared,
                           KeyWord (&word)[S::kKeys / 2]) {
    const unsigned begin = sort.begin_of(blockIdx.x);
    const unsigned end = sort.begin_of(blockIdx.x + 1);
    const unsigned i = threadIdx.x;
    if (i < kSampleRows) {
        KeyWord key = kLast<KeyWord>;
        unsigned at = 0;
        if (i < kShareSampled<S>) {
            at = sampled_position<S>(begin, end, blockIdx.x, i);
            key = order_of_bits(sort.keys[at], sort.type);
        }
        if (i < kShareSampled<S>) sort.sample[blockIdx.x * kShareSampled<S> + i] = key;
        shared.sampled[i] = key;
        shared.sampled_at[i] = at;
        shared.rank[i] = 0;
    }
#pragma unroll
    for (unsigned j = 0; j < S::kKeys / 2; ++j) {
        const unsigned at = begin + j * S::kThreads + threadIdx.x;
        word[j] = at < end ? static_cast<KeyWord>(sort.keys[at]) : 0;
    }
}

/// Sorts the block's own sample: each key has its rank. And makes a table of it.
template <class S>
__device__ void sort_own_sample(GridShared& shared, KeyWord* table) {
    constexpr unsigned kEach = kSampleRows * kSampleRows / S::kThreads;
    const unsigned i = threadIdx.x % kSampleRows;
    const unsigned first = threadIdx.x / kSampleRows * kEach;
    const KeyWord key = shared.sampled[i];
    unsigned rank = 0;
#pragma unroll
    for (unsigned j = first; j < first + kEach; ++j) {
        const KeyWord other = shared.sampled[j];
        if (other < key || (other == key && j < i)) ++rank;
    }
    atomicAdd(&shared.rank[i], rank);
    __syncthreads();  // all ranks are complete
    for (unsigned row = threadIdx.x / kWarpSize; row < kSampleRows; row += S::kWarps) {
        table[in_lane(shared.rank[row])] = shared.sampled[row];
    }
    if (threadIdx.x < kSampleRows) {
        shared.own[shared.rank[i]] = key;
        shared.own_at[shared.rank[i]] = shared.sampled_at[i];
    }
    __syncthreads();  // the table is there
}

/// The rank of each key of the block's sample in the sample of all blocks; of equal keys those of
/// earlier blocks come first. Those of the ranks that cut all keys into kParts for each block
/// become splitters.
template <class S>
__device__ void publish_splitters(const GridSort& sort, GridShared& shared, KeyWord* tile) {
    constexpr unsigned kBatch = 32 < kShareSampled<S> ? 8 : 5;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned sampled = gridDim.x * kShareSampled<S>;
    const unsigned own_end = (blockIdx.x + 1) * kShareSampled<S>;
    KeyWord* const table = tile;
    unsigned* const counters = reinterpret_cast<unsigned*>(tile + kSampleRows * kWarpSize);
    KeyWord other[kBatch];
    const auto fetch = [&](unsigned first) {
#pragma unroll
        for (unsigned i = 0; i < kBatch; ++i) {
            const unsigned at = first + i * S::kThreads;
            other[i] = at < sampled ? sort.sample[at] : 0;
        }
    };
    fetch(threadIdx.x);
    for (unsigned row = warp; row < kSampleRows; row += S::kWarps) counters[in_lane(row)] = 0;
    sort_own_sample<S>(shared, table);
    for (unsigned first = threadIdx.x; first < sampled; first += kBatch * S::kThreads) {
        if (first != threadIdx.x) fetch(first);
        unsigned found[kBatch];
#pragma unroll
        for (unsigned i = 0; i < kBatch; ++i) {
            // Own keys that are equal to one of a later block come before it.
            const bool or_equal = first + i * S::kThreads >= own_end;
            const KeyWord key = other[i];
            const bool before_all = or_equal && key == kLast<KeyWord>;
            found[i] = find_row<kSampleRows / 2>(table, key + (or_equal && !before_all ? 1 : 0));
            if (before_all) found[i] = in_lane(kSampleRows - 1);
        }
#pragma unroll
        for (unsigned i = 0; i < kBatch; ++i) {
            const unsigned at = first + i * S::kThreads;
            const bool own = at < own_end && at >= own_end - kShareSampled<S>;
            if (at < sampled && !own) atomicAdd(&counters[found[i]], 1u);
        }
    }
    __syncthreads();  // the samples of all blocks are counted
    for (unsigned row = warp; row < kSampleRows; row += S::kWarps) {
        const unsigned count = counters[in_lane(row)];
        const unsigned below = sum_of_lanes_below<kWarpSize>(count);
        if (lane == kWarpSize - 1) shared.total[row] = below + count;
    }
    __syncthreads();  // the counts of all rows are there
    if (warp > 0) return;
    const unsigned before[2] = {shared.total[2 * lane], shared.total[2 * lane + 1]};
    unsigned rank = sum_of_lanes_below<kWarpSize>(before[0] + before[1]);
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) {
        constexpr unsigned kEvery = kShareSampled<S> / kParts;
        const unsigned row = 2 * lane + j;
        rank += before[j];
        const unsigned in_all = rank + row;
        if (row < kShareSampled<S> && in_all > 0 && in_all % kEvery == 0) {
            sort.splitter[in_all / kEvery - 1] =
                word_of<PairWord>(shared.own[row], shared.own_at[row]);
        }
    }
}

/// A table of the buckets' splitters; kLast behind the last.
template <class S>
__device__ void load_splitters(const GridSort& sort, GridShared& shared, KeyWord* table) {
    const unsigned warp = threadIdx.x / kWarpSize;
#pragma unroll
    for (unsigned i = 0; i < kRows / S::kWarps; ++i) {
        const unsigned row = i * S::kWarps + warp;
        PairWord splitter = kLast<PairWord>;
        if (row + 1 < gridDim.x) splitter = sort.splitter[(row + 1) * kParts - 1];
        table[in_lane(row)] = order_in(splitter);
        if (threadIdx.x % kWarpSize == 0) shared.position[row] = static_cast<unsigned>(splitter);
    }
    __syncthreads();  // the table is there
    if (threadIdx.x + 1 < gridDim.x) {
        const unsigned row = threadIdx.x;
        const unsigned share = sort.begin_of(blockIdx.x);
        const KeyWord key = table[in_lane(row)];
        const auto first_where = [&](unsigned low, unsigned high, const auto& not_yet) {
            while (low < high) {
                const unsigned middle = (low + high) / 2;
                const bool before = not_yet(middle);
                low = before ? middle + 1 : low;
                high = before ? high : middle;
            }
            return low;
        };
        unsigned end = row + 1;
        if (end + 1 < gridDim.x && table[in_lane(end)] == key) {
            end = first_where(end, gridDim.x - 1,
                              [&](unsigned i) { return table[in_lane(i)] == key; });
        }
        shared.equal_begin[row] =
            first_where(row, end, [&](unsigned i) { return shared.position[i] < share; });
        shared.equal_end[row] = end;
    }
    __syncthreads();  // all runs of equal splitters are known
}

/// The bucket of a word that is equal to the splitter in this row: those are told apart by their
/// positions, as if all were different.
__device__ inline unsigned bucket_among_equals(const GridShared& shared, unsigned row,
                                               unsigned at) {
    const unsigned end = shared.equal_end[row];
    unsigned bucket = shared.equal_begin[row];
    while (bucket < end && shared.position[bucket] < at) ++bucket;
    return bucket;
}

/// Puts the share in the order of the buckets, and notes where each begins.
template <class S>
__device__ void move_share(const GridSort& sort, GridShared& shared, KeyWord* tile,
                           KeyWord (&word)[S::kKeys / 2]) {
    constexpr unsigned kLoads = S::kKeys / 2;
    constexpr unsigned kRounds = kRows * kCopies / S::kThreads;
    unsigned* const counters = reinterpret_cast<unsigned*>(tile);
    KeyWord* const table = tile + kRows * kCopies;
    const unsigned begin = sort.begin_of(blockIdx.x);
    const unsigned end = sort.begin_of(blockIdx.x + 1);
#pragma unroll
    for (unsigned i = 0; i < kRounds; ++i) counters[i * S::kThreads + threadIdx.x] = 0;
    if (sort.type != KeyType::signed_int) {
#pragma unroll
        for (unsigned i = 0; i < kLoads; ++i) {
            word[i] = order_of_bits(static_cast<std::uint32_t>(word[i]), sort.type);
        }
    }
    load_splitters<S>(sort, shared, table);
    unsigned found[kLoads];  // the bucket, and how many of it have taken the counter before
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        found[i] = find_row<kRows / 2>(table, word[i]);
    }
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const bool is_splitter = table[found[i]] == word[i];
        found[i] /= kWarpSize;
        if (is_splitter && found[i] + 1 < gridDim.x) {
            const unsigned at = begin + i * S::kThreads + threadIdx.x;
            found[i] = bucket_among_equals(shared, found[i], at);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const unsigned bucket = found[i];
        found[i] = bucket << 16;
        if (begin + i * S::kThreads + threadIdx.x < end) {
            found[i] += atomicAdd(&counters[counter_of(bucket)], 1u);
        }
    }
    __syncthreads();  // the share is counted
    unsigned before[kRounds];
#pragma unroll
    for (unsigned i = 0; i < kRounds; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        const unsigned count = counters[at];
        before[i] = sum_of_lanes_below<kCopies>(count);
        if (at % kCopies == kCopies - 1) shared.total[at / kCopies] = before[i] + count;
    }
    __syncthreads();  // the sizes of all buckets are there
    const unsigned size = threadIdx.x < kRows ? shared.total[threadIdx.x] : 0;
    const unsigned place = sum_before(size, shared.of_warp[0]);
    if (threadIdx.x < kRows) shared.place[threadIdx.x] = place;
    if (threadIdx.x <= gridDim.x) sort.begins[threadIdx.x * gridDim.x + blockIdx.x] = place;
    __syncthreads();  // the places of all buckets are there
#pragma unroll
    for (unsigned i = 0; i < kRounds; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        counters[at] = before[i] + shared.place[at / kCopies];
    }
    __syncthreads();  // the places of all counters are there
    KeyWord* const moved = table;
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const unsigned at = begin + i * S::kThreads + threadIdx.x;
        if (at < end) moved[counters[counter_of(found[i] >> 16)] + (found[i] & 0xffff)] = word[i];
    }
    __syncthreads();  // the share is in order
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (begin + at < end) sort.moved[begin + at] = moved[at];
    }
}

/// The piece that holds word `at` of the bucket.
__device__ inline unsigned piece_of(const GridShared& shared, unsigned at) {
    unsigned low = 0;
    unsigned high = gridDim.x - 1;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = shared.piece_end[middle] <= at;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/// Finds the pieces of the block's bucket: one of each share.
__device__ inline void find_pieces(const GridSort& sort, GridShared& shared) {
    const unsigned i = threadIdx.x;
    unsigned begin = 0;
    unsigned words = 0;
    if (i < gridDim.x) {
        const unsigned* const begins = sort.begins + blockIdx.x * gridDim.x + i;
        begin = begins[0];
        words = begins[gridDim.x] - begin;
    }
    const unsigned before = sum_before(words, shared.of_warp[0]);
    const unsigned smaller = sum_before(begin, shared.of_warp[1]);
    if (i < kRows) {
        shared.piece_end[i] = before + words;
        shared.piece_shift[i] = sort.begin_of(i) + begin - before;
    }
    if (i == kRows - 1) {  // has no piece
        shared.bucket_words = before;
        shared.bucket_begin = smaller;
    }
    __syncthreads();  // all pieces are known
}

/// Finds the part of each warp's window, by one warp: a lane a window.
template <class S>
__device__ void find_parts(GridShared& shared) {
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = lane * S::kWindow;
    Part part = {};
    unsigned before = 0;
    unsigned all = 0;
    unsigned longest = 0;
#pragma unroll
    for (unsigned i = 0; i < kParts; ++i) {
        const unsigned words = shared.part_words[i];
        const unsigned used = (words + S::kWindow - 1) / S::kWindow * S::kWindow;
        if (out - all < used) part = {all, used, before, words};
        longest = max(longest, used);
        all += used;
        before += words;
    }
    if (all > S::kTile) {  // nearly as large as the tile: one part
        longest = (before + S::kWindow - 1) / S::kWindow * S::kWindow;
        part = {0, out < longest ? longest : 0, 0, before};
    }
    shared.part[lane] = part;
    if (lane == 0) {
        shared.longest_part = longest;
        shared.parts_fit = all <= S::kTile;
    }
}

/// Loads the block's bucket, cuts it into parts, and puts these into the tile.
template <class S>
__device__ void load_bucket(const GridSort& sort, GridShared& shared, KeyWord* tile) {
    static_assert(S::kWarps == kWarpSize, "find_parts() has a lane for each window");
    constexpr unsigned kBatch = 4;  // few buckets need all
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned count = shared.bucket_words;
    KeyWord splitter[kParts - 1];
#pragma unroll
    for (unsigned i = 0; i < kParts - 1; ++i) {
        splitter[i] = order_in(sort.splitter[blockIdx.x * kParts + i]);
    }
    bool some_equal = false;
#pragma unroll
    for (unsigned i = 1; i < kParts - 1; ++i) some_equal |= splitter[i - 1] == splitter[i];
    if (threadIdx.x < kParts * kWarpSize) shared.part_next[threadIdx.x] = 0;
    if (threadIdx.x < S::kTile / kWarpSize) {
        shared.first_piece[threadIdx.x] = piece_of(shared, threadIdx.x * kWarpSize);
    }
    __syncthreads();  // the first piece of each row is known
    KeyWord word[S::kKeys];
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        word[i] = 0;
        if (at >= count) continue;
        unsigned piece = shared.first_piece[i * S::kWarps + warp];
        while (shared.piece_end[piece] <= at) ++piece;
        word[i] = sort.moved[shared.piece_shift[piece] + at];
    }
    unsigned found[S::kKeys];  // the part's counter, and how many have taken it before
#pragma unroll
    for (unsigned batch = 0; batch < S::kKeys; batch += kBatch) {
        if (batch * S::kThreads >= count) continue;
#pragma unroll
        for (unsigned i = batch; i < batch + kBatch; ++i) {
            const bool half = splitter[3] < word[i];
            const bool quarter = (half ? splitter[5] : splitter[1]) < word[i];
            const KeyWord lower = quarter ? splitter[2] : splitter[0];
            const KeyWord upper = quarter ? splitter[6] : splitter[4];
            const bool eighth = (half ? upper : lower) < word[i];
            found[i] = (half ? 4 : 0) + (quarter ? 2 : 0) + (eighth ? 1 : 0);
        }
        if (some_equal) {  // any of the parts between which the word stands
#pragma unroll
            for (unsigned i = batch; i < batch + kBatch; ++i) {
                unsigned last = 0;
#pragma unroll
                for (unsigned j = 0; j < kParts - 1; ++j) last += splitter[j] <= word[i] ? 1 : 0;
                const unsigned at = i * S::kThreads + threadIdx.x;
                found[i] += __umulhi(at * 2654435769u, last - found[i] + 1);
            }
        }
#pragma unroll
        for (unsigned i = batch; i < batch + kBatch; ++i) {
            const unsigned next = in_lane(found[i]);
            found[i] = next << 16;
            if (i * S::kThreads + threadIdx.x < count) {
                found[i] += atomicAdd(&shared.part_next[next], 1u);
            }
        }
    }
    __syncthreads();  // the bucket is counted
    unsigned before = 0;
    if (warp < kParts) {
        const unsigned words = shared.part_next[threadIdx.x];
        before = sum_of_lanes_below<kWarpSize>(words);
        if (threadIdx.x % kWarpSize == kWarpSize - 1) shared.part_words[warp] = before + words;
    }
    __syncthreads();  // the parts' sizes are there
    if (warp < kParts) {
        for (unsigned i = 0; i < warp; ++i) {
            before += (shared.part_words[i] + S::kWindow - 1) / S::kWindow * S::kWindow;
        }
        shared.part_next[threadIdx.x] = before;
    }
    if (warp == kParts) find_parts<S>(shared);
    __syncthreads();  // the places of all counters are there, and the parts
    const bool fit = shared.parts_fit != 0;
#pragma unroll
    for (unsigned batch = 0; batch < S::kKeys; batch += kBatch) {
        if (batch * S::kThreads >= count) continue;
#pragma unroll
        for (unsigned i = batch; i < batch + kBatch; ++i) {
            const unsigned at = i * S::kThreads + threadIdx.x;
            const unsigned next = shared.part_next[found[i] >> 16] + (found[i] & 0xffff);
            if (at < count) tile[place<KeyWord>(fit ? next : at)] = word[i];
        }
    }
    __syncthreads();  // the parts are in the tile
}

/// Sorts the block's bucket.
template <class S>
__device__ void sort_bucket(const GridSort& sort, GridShared& shared, KeyWord* tile) {
    find_pieces(sort, shared);
    const unsigned begin = shared.bucket_begin;
    const unsigned count = shared.bucket_words;
    if (count > S::kTile) {
        for (unsigned i = threadIdx.x; i < count; i += S::kThreads) {
            sort.words[begin + i] = sort.moved[shared.piece_shift[piece_of(shared, i)] + i];
        }
        __syncthreads();  // the bucket is there
        sort_large_bucket<S>(tile, sort.words + begin, sort.spare + begin, count, sort.type,
                             sort.keys + begin);
        return;
    }
    load_bucket<S>(sort, shared, tile);
    const Part part = shared.part[threadIdx.x / kWarpSize];
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    KeyWord word[S::kKeys] = {};
    if (part.used > 0) {
        load_blocked(word, tile, out);
        const unsigned first = out - part.base + threadIdx.x % kWarpSize * S::kKeys;
#pragma unroll
        for (unsigned i = 0; i < S::kKeys; ++i) {
            if (first + i >= part.words) word[i] = kLast<KeyWord>;
        }
    }
    sort_parts_of_tile<S>(word, tile, part.base, part.used, shared.longest_part);
    if (part.used > 0) {
        const unsigned first = begin + part.before;
        store_sorted_blocked_window(word, tile, out, first + out - part.base, first + part.words,
                                    sort.type, nullptr, sort.keys, nullptr);
    }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, 1) sample_grid_kernel(GridSort sort) {
    __shared__ GridShared shared;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    KeyWord* const tile = shared_tile<KeyWord>();
    KeyWord word[S::kKeys / 2];
    load_share<S>(sort, shared, word);
    grid.sync();  // the sample is there
    publish_splitters<S>(sort, shared, tile);
    grid.sync();  // all splitters are there
    move_share<S>(sort, shared, tile, word);
    grid.sync();  // all shares are in the order of the buckets
    sort_bucket<S>(sort, shared, tile);
}

/// Tiles twice as large as a block's share of the keys; whole multiprocessors.
using FewShare = Shape<KeyWord, 4, 32>;
using MiddleShare = Shape<KeyWord, 8, 32>;
using ManyShare = Shape<KeyWord, 16, 32>;

/// With fewer keys a block merge_best() is faster.
constexpr std::size_t kLeastShare = 900;

/// Bytes of shared memory: for a table of all rows, or the share; then for the tile.
template <class S>
constexpr std::size_t grid_sort_bytes() {
    constexpr std::size_t kTable = sizeof(KeyWord) * kRows * kWarpSize;
    constexpr std::size_t kShare = sizeof(KeyWord) * S::kTile / 2;
    constexpr std::size_t kCut = sizeof(unsigned) * kRows * kCopies + std::max(kTable, kShare);
    return std::max(kCut, S::kBytes);
}

/// Scratch memory of a sort in one launch in bytes, on any device.
inline std::size_t grid_sort_scratch(std::size_t n) {
    const std::size_t words = kMostBlocks * (kSampleRows + 2 * kParts + kMostBlocks + 1);
    return sizeof(KeyWord) * (words + n + 16);
}

/// Whether the device runs a block on each multiprocessor, and half of their tiles hold n keys.
template <class S>
bool holds_in_one_launch(std::size_t n) {
    static const unsigned resident =
        resident_blocks(sample_grid_kernel<S>, S::kThreads, grid_sort_bytes<S>());
    const auto blocks = static_cast<unsigned>(tutorial::device_info().sm_count);
    return n >= blocks && divide_up(n, blocks) <= S::kTile / 2 && blocks <= resident &&
           blocks <= kMostBlocks;
}

/// A sort of the job's keys, in its scratch memory.
inline GridSort grid_sort_of(const Job<KeyWord>& job) {
    unsigned* at = static_cast<unsigned*>(job.scratch);
    const auto take = [&](std::size_t words) {
        unsigned* const taken = at;
        at += (words + 3) / 4 * 4;
        return taken;
    };
    const auto blocks = static_cast<unsigned>(tutorial::device_info().sm_count);
    GridSort sort = {};
    sort.keys = job.keys;
    sort.n = static_cast<unsigned>(job.n);
    sort.blocks = blocks;
    sort.type = job.type;
    sort.sample = reinterpret_cast<KeyWord*>(take(std::size_t{blocks} * kSampleRows));
    sort.splitter = reinterpret_cast<PairWord*>(take(std::size_t{2} * blocks * kParts));
    sort.begins = take(std::size_t{blocks} * (blocks + 1));
    sort.moved = reinterpret_cast<KeyWord*>(take(job.n));
    sort.words = job.words;
    sort.spare = job.spare;
    return sort;
}

/// One launch for so many keys; merge_best() where the device does not hold them.
template <class S>
void sample_in_one_launch(Job<KeyWord> job) {
    if (!holds_in_one_launch<S>(job.n)) return merge_best(job);
    GridSort sort = grid_sort_of(job);
    void* arguments[] = {&sort};
    CUDA_CHECK(tutorial::launch_cooperatively(sample_grid_kernel<S>, dim3(sort.blocks),
                                              dim3(S::kThreads), arguments, grid_sort_bytes<S>()));
}

// ---- All of it -------------------------------------------------------------------------------

/// Two passes of `ways`, and what they need, in a job's scratch memory.
class SampleSort {
  public:
    SampleSort(const Job<KeyWord>& job, unsigned ways) : job_(job), ways_(ways) {
        const unsigned last = ways * ways;
        unsigned* at = static_cast<unsigned*>(job.scratch);
        const auto take = [&](std::size_t words) {
            unsigned* const taken = at;
            at += (words + 3) / 4 * 4;
            return taken;
        };
        sample_ = take(last * kSampled);
        splitters_ = {reinterpret_cast<const KeyWord*>(sample_),
                      reinterpret_cast<KeyWord*>(take(last)), take(last), take(last), last};
        unsigned* const counts = take(ways + last);
        counters_ = ways + last;
        unsigned* const begin = take(2);
        unsigned* const middle = take(ways + 1);
        unsigned* const end = take(last + 1);
        first_tile_ = take(2);
        middle_tile_ = take(ways + 1);
        unsigned* const next = take(last);
        passes_[0] = {1, ways, ways, begin, first_tile_, counts, middle, next};
        passes_[1] = {ways, ways, 1, middle, middle_tile_, counts + ways, end, next};
        begin_ = begin;
        tile_counts_ = reinterpret_cast<unsigned short*>(take(tile_counts(job.n, ways) / 2));
        slots_ = reinterpret_cast<unsigned char*>(take(job.n / 4 + 4));
        rest_ = at;
    }

    /// Bytes of scratch memory that it takes, those for the sort of the sample among them.
    static std::size_t bytes(std::size_t n, unsigned ways) {
        const std::size_t last = static_cast<std::size_t>(ways) * ways;
        const std::size_t words = last * (kSampled + 6) + 6 * std::size_t{ways} + 64;
        return sizeof(unsigned) * words + 2 * tile_counts(n, ways) + n + 64 + last * kSampled / 32 +
               4096;
    }

    /// P: a PassShape; S: a bucket's Shape.
    template <class P, class S>
    void run() {
        static_assert(P::kTile >= kLeastTile, "there is room for the counts of so many tiles");
        const unsigned n = static_cast<unsigned>(job_.n);
        const unsigned sampled = splitters_.buckets * kSampled;
        sample_kernel<<<divide_up(sampled, kPackThreads), kPackThreads>>>(
            job_.keys, n, job_.type, sample_, sampled, passes_[0].counts, counters_);
        CUDA_CHECK_LAUNCH();
        Job<KeyWord> sample = job_;
        sample.keys = sample_;
        sample.n = sampled;
        sample.type = KeyType::signed_int;
        sample.words = reinterpret_cast<KeyWord*>(sample_);
        sample.scratch = rest_;
        merge_best(sample);
        const KeyWord* const keys = reinterpret_cast<const KeyWord*>(job_.keys);
        const unsigned skew = skew_of(keys);
        tutorial::launch_overlapped(splitters_kernel, divide_up(splitters_.buckets, kPackThreads),
                                    kPackThreads, splitters_, n, tiles_of(skew, n + skew, P::kTile),
                                    begin_, first_tile_);
        allow_shared(move_to_buckets_kernel<P>, sizeof(MovedTile<P>));
        count<P>(passes_[0], keys, job_.type);
        tutorial::launch_overlapped(begin_tiles_kernel, 1, 256, passes_[0], middle_tile_, P::kTile,
                                    skew_of(job_.spare));
        move<P>(passes_[0], keys, job_.type, job_.spare);
        // Ints, whatever the keys are: words take the place of the keys.
        count<P>(passes_[1], job_.spare, KeyType::signed_int);
        tutorial::launch_overlapped(begin_last_kernel, ways_, 256, passes_[1]);
        move<P>(passes_[1], job_.spare, KeyType::signed_int, job_.words);
        sort_buckets<S>();
    }

    /// Words of the largest bucket, after run(); for tests.
    unsigned largest_bucket() const {
        std::vector<unsigned> begins(splitters_.buckets + 1);
        CUDA_CHECK(cudaMemcpy(begins.data(), passes_[1].new_begin, begins.size() * sizeof(unsigned),
                              cudaMemcpyDeviceToHost));
        unsigned most = 0;
        for (std::size_t i = 1; i < begins.size(); ++i) {
            most = std::max(most, begins[i] - begins[i - 1]);
        }
        return most;
    }

  private:
    /// Counts of a pass's tiles, none of which has fewer words than this.
    static constexpr unsigned kLeastTile = 4096;
    static std::size_t tile_counts(std::size_t n, unsigned ways) {
        return (n / kLeastTile + 2 * std::size_t{ways} + 1) * 256;
    }
    static unsigned skew_of(const KeyWord* from) {
        return reinterpret_cast<std::uintptr_t>(from) / sizeof(KeyWord) % 4;
    }

    /// Tiles of a pass, at most.
    template <class P>
    unsigned tiles(const Pass& pass) const {
        return divide_up(job_.n, P::kTile) + 2 * pass.buckets;
    }

    template <class P>
    void count(const Pass& pass, const KeyWord* from, KeyType type) const {
        tutorial::launch_overlapped(count_buckets_kernel<P>, tiles<P>(pass), P::kThreads, from,
                                    static_cast<unsigned>(job_.n), type, pass, splitters_, slots_,
                                    tile_counts_);
    }

    template <class P>
    void move(const Pass& pass, const KeyWord* from, KeyType type, KeyWord* to) const {
        tutorial::launch_overlapped_with(
            sizeof(MovedTile<P>), move_to_buckets_kernel<P>, tiles<P>(pass), P::kThreads, from,
            static_cast<unsigned>(job_.n), type, pass, slots_, tile_counts_, to);
    }

    template <class S>
    void sort_buckets() const {
        allow_shared(sort_buckets_kernel<S>, S::kBytes);
        tutorial::launch_overlapped_with(
            S::kBytes, sort_buckets_kernel<S>, splitters_.buckets, S::kThreads, job_.words,
            job_.spare, static_cast<unsigned>(job_.n), passes_[1].new_begin, job_.type, job_.keys);
    }

    Job<KeyWord> job_;
    unsigned ways_;
    unsigned* sample_;
    Splitters splitters_;
    unsigned counters_;
    unsigned *begin_, *first_tile_, *middle_tile_;
    Pass passes_[2];
    unsigned short* tile_counts_;
    unsigned char* slots_;
    unsigned* rest_;
};

/// Into how many buckets a pass cuts, so that n words fill the last ones to three fifths of a tile:
/// a sample is not exact, and what a tile does not hold is sorted more slowly. More than kMostWays:
/// there are too many words.
inline unsigned ways_for(std::size_t n, std::size_t tile) {
    unsigned ways = 2;
    while (std::size_t{ways} * ways * tile * 3 / 5 < n) ++ways;
    return ways;
}

/// Scratch memory of sample_best() in bytes, on any device.
inline std::size_t sample_best_bytes(std::size_t n) {
    const unsigned ways = ways_for(n, 8192);  // the least that shapes.hpp has for Huge
    const std::size_t passes = SampleSort::bytes(n, std::min(std::max(ways, 16u), kMostWays));
    const bool may_be_few = n <= kMostBlocks * std::size_t{ManyShare::kTile / 2};
    return may_be_few ? std::max(passes, grid_sort_scratch(n)) : passes;
}

// sample_best: cut by a sample, move each key twice, into a bucket that a block sorts.
// Removes: all sweeps of merges; the two moves are left, whatever n is.
// Remains: the search for each key's bucket, twice, and the sort of a tile.

/// Keys alone. So few that they stay in the L2 cache are sorted in one launch: by a sample, or, if
/// there are still fewer or more, by merge_best().
inline void sample_best(Job<KeyWord> job) {
    const auto blocks = static_cast<std::size_t>(tutorial::device_info().sm_count);
    if (2 * job.n * sizeof(KeyWord) <= tutorial::device_info().l2_bytes) {
        if (job.n < kLeastShare * blocks) return merge_best(job);
        if (holds_in_one_launch<FewShare>(job.n)) return sample_in_one_launch<FewShare>(job);
        if (holds_in_one_launch<MiddleShare>(job.n)) return sample_in_one_launch<MiddleShare>(job);
        return sample_in_one_launch<ManyShare>(job);
    }
    with_shapes<KeyWord>(tutorial::device_info(), [&](auto shapes) {
        using Bucket = typename decltype(shapes)::Huge;
        const unsigned ways = ways_for(job.n, Bucket::kTile);
        if (ways > kMostWays) return merge_best(job);
        SampleSort sort(job, ways);
        // More ways want longer tiles: what a tile has for each bucket is written together.
        if (job.n <= std::size_t{1} << 27) {
            sort.run<PassShape<256, 8, 4>, Bucket>();
        } else {
            sort.run<PassShape<384, 8, 3>, Bucket>();
        }
    });
}

}  // namespace sorting
