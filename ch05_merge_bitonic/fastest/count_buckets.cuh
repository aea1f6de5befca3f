// The first half of a pass: which bucket a key belongs to, counting, and where the buckets begin.
#pragma once

#include <cuda_runtime.h>

#include "../../common/harness/device_code.cuh"
#include "../../common/harness/programmatic_launch.hpp"
#include "../keys.hpp"
#include "pack.cuh"
#include "passes.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- Which bucket a key belongs to -----------------------------------------------------------

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
/// a binary search without a branch. There are 255; those past the last of `ways` - 1 are kLast.
/// Only the keys of pairs are compared.
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

/// Where a key that is equal to the splitter at `slot` belongs: any slot among those of equal keys
/// in the sample, by its position.
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

/// The splitters of a block's bucket, and how many of its tile's keys belong to each slot.
template <class SortKey>
struct CountedTile {
    int splitter_key[kSlots];  ///< without its value
    SortKey splitter[kHasValue<SortKey> ? kSlots : 1];
    unsigned counts[kSlots];
};

/// Loads the splitters, by all threads. Returns whether keys equal to one may go to several
/// buckets.
template <class SortKey>
__device__ bool load_splitters(CountedTile<SortKey>& counted, const Pass& pass,
                               const Splitters<SortKey>& splitters, unsigned bucket) {
    bool many_equal = false;
    if (threadIdx.x < 256) {
        SortKey key = kLast<SortKey>;
        if (threadIdx.x + 1 < pass.ways) {
            const unsigned at = ((pass.first + bucket) * pass.ways + threadIdx.x + 1) * pass.stride;
            key = splitters.key[at];
            // Fewer than a quarter of a bucket may go to any bucket.
            many_equal = splitters.run_end[at] - splitters.run_begin[at] > kSampled / 4;
        }
        if (kHasValue<SortKey>) counted.splitter[slot_of(threadIdx.x)] = key;
        counted.splitter_key[slot_of(threadIdx.x)] = ordered_int_in(key);
        counted.counts[slot_of(threadIdx.x)] = 0;
    }
    return __syncthreads_or(many_equal) != 0;  // and all splitters are there
}

/// What find_slot() leaves open: the slot of key number `at` if it is equal to a splitter's.
template <class From, class SortKey>
__device__ void settle_equal(unsigned& slot, int ordered, unsigned at, const From& from,
                             const CountedTile<SortKey>& counted, const Pass& pass,
                             const Splitters<SortKey>& splitters, unsigned bucket, bool spread) {
    const unsigned last = slot_of(pass.ways - 1);
    if (slot >= last || counted.splitter_key[slot] != ordered) return;
    if constexpr (kHasValue<SortKey>) {
        const auto pair = load_key<SortKey>(from, at);
        const auto is_less = [&](unsigned way) { return counted.splitter[slot_of(way)] < pair; };
        slot = slot_of(first_not(way_of(slot), pass.ways - 1, is_less));
        if (slot >= last || counted.splitter[slot] != pair) return;
    }
    if (spread) slot = slot_among_equals(pass, splitters, bucket, slot, at);
}

/// Adds the tile's counts to those of the new buckets, and stores them.
__device__ inline void store_counts(const unsigned* counts, const Pass& pass, unsigned bucket,
                                    unsigned short* tile_counts) {
    if (threadIdx.x >= pass.ways) return;
    const unsigned count = counts[slot_of(threadIdx.x)];
    tile_counts[blockIdx.x * 256 + threadIdx.x] = static_cast<unsigned short>(count);
    if (count > 0) atomicAdd(pass.counts + bucket * pass.ways + threadIdx.x, count);
}

// ---- A pass: count, begin, move --------------------------------------------------------------

/// Counts the keys of the new buckets, in all and per tile, and stores each key's slot.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    count_buckets_kernel(From from, Pass pass, Splitters<typename S::SortKey> splitters,
                         unsigned* slots, unsigned short* tile_counts) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    __shared__ CountedTile<SortKey> counted;
    BucketTile tile;
    if (!find_tile<S>(pass, tile)) return;
    const bool spread = load_splitters(counted, pass, splitters, tile.bucket);
    const FirstSplitters first(counted.splitter_key);
    int ordered[S::kKeys];
    load_ordered<S>(ordered, from, tile);
#pragma unroll
    for (unsigned v = 0; v < S::kVectors; ++v) {
        unsigned slot[4];
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            slot[j] = find_slot(counted.splitter_key, first, pass.ways, ordered[4 * v + j]);
        }
        if (kHasValue<SortKey> || spread) {
            bool some_equal = false;
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                some_equal |= counted.splitter_key[slot[j]] == ordered[4 * v + j];
            }
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned at = index_in<S>(tile, 4 * v + j);
                if (!some_equal || !tile.has(at)) continue;
                settle_equal(slot[j], ordered[4 * v + j], at, from, counted, pass, splitters,
                             tile.bucket, spread);
            }
        }
        if (!tile.is_whole) {
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                if (!tile.has(index_in<S>(tile, 4 * v + j))) slot[j] = kNoSlot;
            }
        }
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) atomicAdd(&counted.counts[slot[j]], 1u);
        slots[slots_index<S>(v)] = slot[0] + (slot[1] << 8) + (slot[2] << 16) + (slot[3] << 24);
    }
    __syncthreads();  // all keys are counted
    store_counts(counted.counts, pass, tile.bucket, tile_counts);
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

}  // namespace sorting
