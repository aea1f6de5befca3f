// ordered_tiles: a pass stores the keys that a tile has for one bucket side by side. From few_ways:
// all except the move.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../../common/harness/programmatic_launch.hpp"
#include "../../common/harness/resident_blocks.hpp"
#include "../keys.hpp"
#include "16_few_ways.cuh"
#include "bucket_sort.cuh"
#include "passes.cuh"
#include "tiles.cuh"
#include "windows.cuh"

namespace sorting {

/// A block's tile, sorted by slots, and where its keys go.
template <class SortKey, unsigned kTile>
struct MovedTile {
    SortKey key[kTile];
    unsigned next[kSlots];   ///< of the next key with that slot in the tile
    unsigned shift[kSlots];  ///< from the tile to the new bucket
    unsigned of_warp[256 / kWarpSize];
    unsigned char slot[kTile];
};

// ordered_tiles: as few_ways, but a block puts its tile in the order of the buckets, in shared
// memory, before it stores it. A tile has 256 counts.
// Removes: stores far apart; the keys that a tile has for a bucket are stored side by side.
// Remains: the sort of a bucket by comparisons.
template <class S, class From>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    move_to_buckets_kernel(From from, Pass pass, const unsigned* slots,
                           const unsigned short* tile_counts, typename S::SortKey* to) {
    using SortKey = typename S::SortKey;
    grid_dependency_synchronize();
    using Moved = MovedTile<SortKey, S::kTile>;
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
        if (four[v] == first * 0x01010101u) {  // as in sorted data
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
    // Not earlier: the result of the atomic addition takes a while to arrive.
    if (has_way) moved.shift[slot_of(threadIdx.x)] = next - before;
    __syncthreads();  // the tile is sorted by slots
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = i * S::kThreads + threadIdx.x;
        if (at < count) to[at + moved.shift[moved.slot[at]]] = moved.key[at];
    }
}

struct OrderedTiles : FewWays {
    template <class P, class From>
    static void move(unsigned tiles, const From& from, const Pass& pass, const unsigned* slots,
                     const unsigned short* tile_counts, typename P::SortKey* to) {
        constexpr std::size_t kBytes = sizeof(MovedTile<typename P::SortKey, P::kTile>);
        const auto kernel = move_to_buckets_kernel<P, From>;
        allow_shared(kernel, kBytes);
        launch_programmatic_with(kBytes, kernel, tiles, P::kThreads, from, pass, slots, tile_counts,
                                 to);
    }
};

template <class SortKey>
void ordered_tiles(SortParams<SortKey> params) {
    sort_by_sample<OrderedTiles>(params);
}

}  // namespace sorting
