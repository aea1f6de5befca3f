// few_ways: passes of up to 248 ways, in place of one move into thousands of buckets. From
// register_buckets: the sort of a bucket.
//
// The stages after this one replace a part of it: a struct of steps, such as FewWays, says which
// part, and inherits the others.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/programmatic_launch.hpp"
#include "../keys.hpp"
#include "15_register_buckets.cuh"
#include "bucket_sort.cuh"
#include "passes.cuh"
#include "shapes.cuh"

namespace sorting {

// few_ways: keys go to at most 248 buckets, and from each of these to as many; a bucket's
// splitters, and the counts of a tile, then fit into shared memory.
// Removes: searches in global memory; atomic additions there, except one per tile and bucket.
// Remains: stores far apart; one more pass for large n.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    move_directly_kernel(From from, Pass pass, const unsigned* slots,
                         const unsigned short* tile_counts, typename S::SortKey* to) {
    __shared__ unsigned next[kSlots];  // where the next key with that slot goes
    grid_dependency_synchronize();
    BucketTile tile;
    if (!find_tile<S>(pass, tile)) return;
    if (threadIdx.x < pass.ways) {
        const unsigned count = tile_counts[blockIdx.x * 256 + threadIdx.x];
        next[slot_of(threadIdx.x)] =
            atomicAdd(pass.next + tile.bucket * pass.ways + threadIdx.x, count);
    }
    typename S::SortKey key[S::kKeys];
    load_tile<S>(key, from, tile);
    __syncthreads();  // it is known where each slot's keys go
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned slot = byte_of(slots[slots_index<S>(i / 4)], i % 4);
        if (slot != kNoSlot) to[atomicAdd(&next[slot], 1u)] = key[i];
    }
}

/// The steps of a sort by a sample that a stage may replace.
struct FewWays {
    using Sort = ByNetwork;  ///< how a block sorts a bucket

    /// sort_few() sorts up to this many keys.
    template <class SortKey>
    static std::size_t most_few() {
        return RoomyShapes<SortKey>::Bucket::kTile;
    }
    template <class BySort, class SortKey>
    static void sort_few(const SortParams<SortKey>& params) {
        sort_in_one_block<BySort>(params);
    }

    /// The second half of a pass.
    template <class P, class From>
    static void move(unsigned tiles, const From& from, const Pass& pass, const unsigned* slots,
                     const unsigned short* tile_counts, typename P::SortKey* to) {
        launch_programmatic(move_directly_kernel<P, From>, tiles, P::kThreads, from, pass, slots,
                            tile_counts, to);
    }
};

template <class SortKey>
void few_ways(SortParams<SortKey> params) {
    sort_by_sample<FewWays>(params);
}

}  // namespace sorting
