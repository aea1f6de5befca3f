// A block sorts a bucket of sample_best: by interpolation; where its keys lie unevenly, by the
// network and merges of windows, as a tile; and what a tile does not hold by merges of tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpolation.cuh"
#include "merge_in_one_launch.cuh"
#include "sample_buckets.cuh"

namespace sorting {

/// Loads those of a source's keys [begin, end) that lie in the warp's window, which begins at
/// `first`; kLast instead of the others. In any order.
template <int kKeys, class SortKey>
__device__ void load_around(SortKey (&key)[kKeys], const SortKey* from, unsigned first,
                            unsigned begin, unsigned end) {
    constexpr int kVector = kKeysPerVector<SortKey>;
    const unsigned mine = first + threadIdx.x % kWarpSize * kVector;
    if (first % 4 == 0 && first >= begin && first + kKeys * kWarpSize <= end) {
#pragma unroll
        for (int i = 0; i < kKeys; i += kVector) load_vector(key + i, from + mine + i * kWarpSize);
        return;
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        const unsigned at = mine + i / kVector * kVector * kWarpSize + i % kVector;
        key[i] = at >= begin && at < end ? from[at] : kLast<SortKey>;
    }
}

/// Sorts a bucket that a tile does not hold, keys [begin, end) of the source, by one block: tiles
/// are sorted, and merged. Slow, and rare. `packed` and `spare` have room for it, and one of them
/// may be where it is; the output's keys may share the memory of `packed`.
template <class S, class SortKey>
__device__ void sort_large_bucket(SortKey* tile, const Source<SortKey>& source, unsigned begin,
                                  unsigned end, SortKey* packed, SortKey* spare,
                                  const Arrays& output) {
    const unsigned count = end - begin;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    SortKey key[S::kKeys];
    bool odd = false;  // the last level must not write where it reads
    for (unsigned run = S::kTile; run < count; run *= 2) odd = !odd;
    SortKey* from = odd ? spare : packed;
    SortKey* to = odd ? packed : spare;
    for (unsigned at = 0; at < count; at += S::kTile) {
        load_around(key, source.keys, begin + at + out, begin, end);
        sort_tile<S>(key, tile, S::kTile);
        to_striped(key, tile, out);
        store_window(key, from, at + out + threadIdx.x % kWarpSize, count);
        __syncthreads();  // the tile has been read before it is written again
    }
    for (unsigned run = S::kTile; run < count; run *= 2) {
        __syncthreads();  // the runs are stored before other warps read them
        merge_level<S>(tile, from, to, count, run, 0, 1, output);
        SortKey* const other = from;
        from = to;
        to = other;
    }
}

/// Each block sorts a bucket of `moved`, and unpacks it. `packed` and `spare`, of which `moved` is
/// one, have room for all; the output's keys may share the memory of `packed`. kInterpolates: by
/// interpolation, where the bucket suits it.
template <class S, bool kInterpolates>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_buckets_kernel(const typename S::SortKey* moved, typename S::SortKey* packed,
                        typename S::SortKey* spare, const unsigned* begins, Arrays output) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    SortKey* const tile = Interpolation<S>::get().tile;
    const unsigned begin = begins[blockIdx.x];
    const unsigned end = begins[blockIdx.x + 1];
    const Source<SortKey> source(moved);
    const unsigned first = begin + source.skew;
    const unsigned last = end + source.skew;
    if (end - begin > S::kTile) {
        sort_large_bucket<S>(tile, source, first, last, packed + begin, spare + begin,
                             output.from(begin));
        return;
    }
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    SortKey key[S::kKeys];
    // From a multiple of four on, where there is room for keys before the bucket's.
    const unsigned from = last - first / 4 * 4 <= S::kTile ? first / 4 * 4 : first;
    const unsigned used = (last - from + S::kWindow - 1) / S::kWindow * S::kWindow;
    load_around(key, source.keys, from + out, first, last);
    sort_block<S, kInterpolates>(key, used);
    if (out < used) store_sorted_blocked_window(key, tile, out, begin + out, end, output);
}

}  // namespace sorting
