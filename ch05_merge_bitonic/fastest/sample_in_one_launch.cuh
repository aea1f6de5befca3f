// sample_best where the keys are few: cut, move and sort in one cooperative launch. From the
// ladder: merge_rank's ranks, here of samples. New: each block keeps its share in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../common/harness/cooperative_launch.hpp"
#include "sort_bucket.cuh"

namespace sorting {

// ---- Few keys: all in one launch ---------------------------------------------------------------

// A block for each multiprocessor, all of which run at the same time. Each holds its share of the
// keys in registers, until the splitters are known; sorts it by buckets, of which there is one per
// block; then each block fetches its bucket's pieces from all shares, and sorts it.

constexpr unsigned kMaxBlocks = 248;
constexpr unsigned kRows = 256;       ///< of the tables that have one for each block
constexpr unsigned kSampleRows = 64;  ///< room for a share's sample: twice a warp

/// What the blocks share.
struct GridSort {
    std::uint32_t* keys;
    unsigned n, blocks;
    KeyType type;
    unsigned seed;        ///< of the sample's positions
    int* sample;          ///< kShareSampled of each block
    KeyValue* splitter;   ///< the least of each bucket but the first, and its position as a value
    unsigned* begins;     ///< where in the share of block j bucket i begins: [i * blocks + j]
    int* moved;           ///< the shares, each sorted by buckets
    int *packed, *spare;  ///< n keys each, for a bucket that a tile does not hold

    /// Where the share of a block begins.
    __host__ __device__ unsigned begin_of(unsigned block) const {
        return static_cast<unsigned>(static_cast<unsigned long long>(n) * block / blocks);
    }
};

/// Keys of each share in the sample. To rank them takes as long with few keys as with many, and so
/// there are fewer. With 16 one of three sorts had a bucket that a tile does
/// not hold.
template <class S>
constexpr unsigned kShareSampled = S::kKeys > 4 ? 56 : 32;

/// A block's static shared memory.
struct GridShared {
    int sampled[kSampleRows], own[kSampleRows];  ///< of the block's share; sorted
    unsigned sampled_at[kSampleRows], own_at[kSampleRows], rank[kSampleRows];
    unsigned position[kRows];  ///< of a bucket's splitter
    /// Of the splitters from this one on that are equal to it: the first whose position is not
    /// before the share, and the end of all.
    unsigned equal_begin[kRows], equal_end[kRows];
    unsigned total[kRows], bucket_offset[kRows];
    unsigned of_warp[2][256 / kWarpSize];
    unsigned piece_end[kRows], piece_shift[kRows];
    unsigned first_piece[512];
    unsigned bucket_begin, bucket_count;
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

/// How many of a table's first 2 * kHalf - 1 rows, which are sorted, are less than the key; as the
/// offset of that row in the lane's copy.
template <unsigned kHalf>
__device__ unsigned find_row(const int* table, int key) {
    unsigned at = in_lane(0);
#pragma unroll
    for (unsigned step = kHalf; step > 0; step /= 2) {
        if (table[at + (step - 1) * kWarpSize] < key) at += step * kWarpSize;
    }
    return at;
}

/// The sum of the counts of the lanes below, of those that have the same lane / kLanes.
template <unsigned kLanes>
__device__ unsigned sum_of_lanes_below(unsigned count) {
    unsigned sum = count;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        const unsigned below = __shfl_up_sync(kFullMask, sum, distance);
        if (threadIdx.x % kLanes >= distance) sum += below;
    }
    return sum - count;
}

/// The position of key i of the sample of a block's share: one of each of its parts.
template <class S>
__host__ __device__ unsigned sampled_position(const GridSort& sort, unsigned block, unsigned i) {
    const unsigned begin = sort.begin_of(block);
    const unsigned end = sort.begin_of(block + 1);
    const unsigned first = i * (end - begin) / kShareSampled<S>;
    const unsigned last = (i + 1) * (end - begin) / kShareSampled<S>;
    const unsigned part = last > first ? last - first : 1;
    const unsigned long long random = scrambled(sort.seed + block * kSampleRows + i);
    return begin + first + static_cast<unsigned>(random * part >> 32);
}

/// Loads the block's share, as bits, and publishes a sample of it.
template <class S>
__device__ void load_share(const GridSort& sort, GridShared& shared, int (&key)[S::kKeys / 2]) {
    const unsigned begin = sort.begin_of(blockIdx.x);
    const unsigned end = sort.begin_of(blockIdx.x + 1);
    const unsigned i = threadIdx.x;
    if (i < kSampleRows) {
        int key = kLast<int>;
        unsigned at = 0;
        if (i < kShareSampled<S>) {
            at = sampled_position<S>(sort, blockIdx.x, i);
            key = ordered_int_of_bits(sort.keys[at], sort.type);
        }
        if (i < kShareSampled<S>) sort.sample[blockIdx.x * kShareSampled<S> + i] = key;
        shared.sampled[i] = key;
        shared.sampled_at[i] = at;
        shared.rank[i] = 0;
    }
#pragma unroll
    for (unsigned j = 0; j < S::kKeys / 2; ++j) {
        const unsigned at = begin + j * S::kThreads + threadIdx.x;
        key[j] = at < end ? static_cast<int>(sort.keys[at]) : 0;
    }
}

/// Sorts the block's own sample: each key has its rank. And makes a table of it.
template <class S>
__device__ void sort_own_sample(GridShared& shared, int* table) {
    constexpr unsigned kEach = kSampleRows * kSampleRows / S::kThreads;
    const unsigned i = threadIdx.x % kSampleRows;
    const unsigned first = threadIdx.x / kSampleRows * kEach;
    const int key = shared.sampled[i];
    unsigned rank = 0;
#pragma unroll
    for (unsigned j = first; j < first + kEach; ++j) {
        const int other = shared.sampled[j];
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
/// earlier blocks come first. Those of the ranks that cut all keys into buckets become
/// splitters.
template <class S>
__device__ void publish_splitters(const GridSort& sort, GridShared& shared, int* tile) {
    constexpr unsigned kBatch = 32 < kShareSampled<S> ? 8 : 5;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned sampled = gridDim.x * kShareSampled<S>;
    const unsigned own_end = (blockIdx.x + 1) * kShareSampled<S>;
    int* const table = tile;
    unsigned* const counters = reinterpret_cast<unsigned*>(tile + kSampleRows * kWarpSize);
    int other[kBatch];
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
            const int key = other[i];
            const bool before_all = or_equal && key == kLast<int>;
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
        constexpr unsigned kEvery = kShareSampled<S>;
        const unsigned row = 2 * lane + j;
        rank += before[j];
        const unsigned in_all = rank + row;
        if (row < kShareSampled<S> && in_all > 0 && in_all % kEvery == 0) {
            sort.splitter[in_all / kEvery - 1] =
                make_sort_key<KeyValue>(shared.own[row], shared.own_at[row]);
        }
    }
}

/// A table of the buckets' splitters; kLast behind the last.
template <class S>
__device__ void load_splitters(const GridSort& sort, GridShared& shared, int* table) {
    const unsigned warp = threadIdx.x / kWarpSize;
#pragma unroll
    for (unsigned i = 0; i < kRows / S::kWarps; ++i) {
        const unsigned row = i * S::kWarps + warp;
        KeyValue splitter = kLast<KeyValue>;
        if (row + 1 < gridDim.x) splitter = sort.splitter[row];
        table[in_lane(row)] = ordered_int_in(splitter);
        if (threadIdx.x % kWarpSize == 0) shared.position[row] = static_cast<unsigned>(splitter);
    }
    __syncthreads();  // the table is there
    if (threadIdx.x + 1 < gridDim.x) {
        const unsigned row = threadIdx.x;
        const unsigned share = sort.begin_of(blockIdx.x);
        const int key = table[in_lane(row)];
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

/// The bucket of a key that is equal to the splitter in this row: those are told apart by their
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
__device__ void move_share(const GridSort& sort, GridShared& shared, int* tile,
                           int (&key)[S::kKeys / 2]) {
    constexpr unsigned kLoads = S::kKeys / 2;
    constexpr unsigned kRounds = kRows * kCopies / S::kThreads;
    unsigned* const counters = reinterpret_cast<unsigned*>(tile);
    int* const table = tile + kRows * kCopies;
    const unsigned begin = sort.begin_of(blockIdx.x);
    const unsigned end = sort.begin_of(blockIdx.x + 1);
#pragma unroll
    for (unsigned i = 0; i < kRounds; ++i) counters[i * S::kThreads + threadIdx.x] = 0;
    if (sort.type != KeyType::signed_int) {
#pragma unroll
        for (unsigned i = 0; i < kLoads; ++i) {
            key[i] = ordered_int_of_bits(static_cast<std::uint32_t>(key[i]), sort.type);
        }
    }
    load_splitters<S>(sort, shared, table);
    unsigned found[kLoads];  // the bucket, and how many of it have taken the counter before
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        found[i] = find_row<kRows / 2>(table, key[i]);
    }
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const bool is_splitter = table[found[i]] == key[i];
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
    const unsigned offset = sum_before(size, shared.of_warp[0]);
    if (threadIdx.x < kRows) shared.bucket_offset[threadIdx.x] = offset;
    if (threadIdx.x <= gridDim.x) sort.begins[threadIdx.x * gridDim.x + blockIdx.x] = offset;
    __syncthreads();  // it is known where all buckets begin
#pragma unroll
    for (unsigned i = 0; i < kRounds; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        counters[at] = before[i] + shared.bucket_offset[at / kCopies];
    }
    __syncthreads();  // all counters have their offsets
    int* const moved = table;
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const unsigned at = begin + i * S::kThreads + threadIdx.x;
        if (at < end) moved[counters[counter_of(found[i] >> 16)] + (found[i] & 0xffff)] = key[i];
    }
    __syncthreads();  // the share is in order
#pragma unroll
    for (unsigned i = 0; i < kLoads; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (begin + at < end) sort.moved[begin + at] = moved[at];
    }
}

/// The piece that holds key `at` of the bucket.
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
    unsigned count = 0;
    if (i < gridDim.x) {
        const unsigned* const begins = sort.begins + blockIdx.x * gridDim.x + i;
        begin = begins[0];
        count = begins[gridDim.x] - begin;
    }
    const unsigned before = sum_before(count, shared.of_warp[0]);
    const unsigned smaller = sum_before(begin, shared.of_warp[1]);
    if (i < kRows) {
        shared.piece_end[i] = before + count;
        shared.piece_shift[i] = sort.begin_of(i) + begin - before;
    }
    if (i == kRows - 1) {  // has no piece
        shared.bucket_count = before;
        shared.bucket_begin = smaller;
    }
    __syncthreads();  // all pieces are known
}

/// Loads the block's bucket; kLast behind it.
template <class S>
__device__ void load_bucket(const GridSort& sort, GridShared& shared, int (&key)[S::kKeys]) {
    const unsigned count = shared.bucket_count;
    if (threadIdx.x < S::kTile / kWarpSize) {
        shared.first_piece[threadIdx.x] = piece_of(shared, threadIdx.x * kWarpSize);
    }
    __syncthreads();  // the first piece of each row is known
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        key[i] = kLast<int>;
        if (at >= count) continue;
        unsigned piece = shared.first_piece[at / kWarpSize];
        while (shared.piece_end[piece] <= at) ++piece;
        key[i] = sort.moved[shared.piece_shift[piece] + at];
    }
}

/// Sorts the block's bucket.
template <class S>
__device__ void sort_bucket(const GridSort& sort, GridShared& shared, int* tile) {
    find_pieces(sort, shared);
    const unsigned begin = shared.bucket_begin;
    const unsigned count = shared.bucket_count;
    const Arrays output = {sort.keys, nullptr, sort.type};
    if (count > S::kTile) {
        for (unsigned i = threadIdx.x; i < count; i += S::kThreads) {
            sort.packed[begin + i] = sort.moved[shared.piece_shift[piece_of(shared, i)] + i];
        }
        __syncthreads();  // the bucket is there
        const Source<int> source(sort.packed);
        const unsigned first = begin + source.skew;
        sort_large_bucket<S>(tile, source, first, first + count, sort.packed + begin,
                             sort.spare + begin, output.from(begin));
        return;
    }
    int key[S::kKeys];
    load_bucket<S>(sort, shared, key);
    const unsigned used = (count + S::kWindow - 1) / S::kWindow * S::kWindow;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    if (!sort_by_interpolation<S>(key, used)) sort_tile<S>(key, tile);  // all warps have keys
    if (out < used) {
        store_sorted_blocked_window(key, tile, out, begin + out, begin + count, output);
    }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, 1) sample_grid_kernel(GridSort sort) {
    __shared__ GridShared shared;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int* const tile = shared_tile<int>();
    int key[S::kKeys / 2];
    load_share<S>(sort, shared, key);
    grid.sync();  // the sample is there
    publish_splitters<S>(sort, shared, tile);
    grid.sync();  // all splitters are there
    move_share<S>(sort, shared, tile, key);
    grid.sync();  // all shares are in the order of the buckets
    sort_bucket<S>(sort, shared, tile);
}

/// Tiles twice as large as a block's share of the keys; whole multiprocessors.
using FewShare = Shape<int, 4, 32>;
using MiddleShare = Shape<int, 8, 32>;
using ManyShare = Shape<int, 16, 32>;

/// With fewer keys per block few_keys() is faster.
constexpr std::size_t kMinShare = 900;

/// Bytes of shared memory: for a table of all rows, or the share; then for the tile.
template <class S>
constexpr std::size_t grid_sort_bytes() {
    constexpr std::size_t kTable = sizeof(int) * kRows * kWarpSize;
    constexpr std::size_t kShare = sizeof(int) * S::kTile / 2;
    constexpr std::size_t kCut = sizeof(unsigned) * kRows * kCopies + std::max(kTable, kShare);
    return std::max(kCut, sizeof(Interpolation<S>));
}

/// Scratch memory of a sort in one launch in bytes, on any device.
inline std::size_t grid_sort_scratch(std::size_t n) {
    const std::size_t count = kMaxBlocks * (kSampleRows + 2 + kMaxBlocks + 1);
    return sizeof(int) * (count + n + 16);
}

/// Whether the device runs a block on each multiprocessor, and half of their tiles hold n keys.
template <class S>
bool holds_in_one_launch(std::size_t n) {
    if (sizeof(GridShared) + grid_sort_bytes<S>() > device_info().shared_per_block) return false;
    static const unsigned resident =
        resident_blocks(sample_grid_kernel<S>, S::kThreads, grid_sort_bytes<S>());
    const auto blocks = static_cast<unsigned>(device_info().sm_count);
    return n >= blocks && divide_up<std::size_t>(n, blocks) <= S::kTile / 2 && blocks <= resident &&
           blocks <= kMaxBlocks;
}

/// A sort of these keys, in the scratch memory.
inline GridSort grid_sort_of(const SortParams<int>& params) {
    unsigned* at = static_cast<unsigned*>(params.scratch);
    const auto take = [&](std::size_t count) {
        unsigned* const taken = at;
        at += (count + 3) / 4 * 4;
        return taken;
    };
    const auto blocks = static_cast<unsigned>(device_info().sm_count);
    GridSort sort = {};
    sort.keys = params.keys;
    sort.n = static_cast<unsigned>(params.n);
    sort.blocks = blocks;
    sort.type = params.type;
    sort.seed = scrambled(params.seed);
    sort.sample = reinterpret_cast<int*>(take(std::size_t{blocks} * kSampleRows));
    sort.splitter = reinterpret_cast<KeyValue*>(take(std::size_t{2} * blocks));
    sort.begins = take(std::size_t{blocks} * (blocks + 1));
    sort.moved = reinterpret_cast<int*>(take(params.n));
    sort.packed = params.packed;
    sort.spare = params.spare;
    return sort;
}

/// One launch, for as many keys as the device holds.
template <class S>
void sample_in_one_launch(SortParams<int> params) {
    allow_shared(sample_grid_kernel<S>, grid_sort_bytes<S>());
    GridSort sort = grid_sort_of(params);
    void* arguments[] = {&sort};
    CUDA_CHECK(launch_cooperatively(sample_grid_kernel<S>, dim3(sort.blocks), dim3(S::kThreads),
                                    arguments, grid_sort_bytes<S>()));
}

}  // namespace sorting
