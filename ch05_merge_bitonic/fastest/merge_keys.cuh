// merge_best for many keys: a block merges a share of four runs by windows, and has the next share
// copied meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bulk_copy.cuh"
#include "four_runs.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- Many keys: four runs at a time ----------------------------------------------------------

/// A tile's pieces as they are copied: in vectors, from the one in which a piece begins to the one
/// in which it ends, so that all of them are aligned.
struct PieceLayout {
    unsigned start[kWays + 1];  ///< keys before each piece
    unsigned offset[kWays];     ///< of its first key among the copied
    unsigned source[kWays];     ///< its first vector
    unsigned before;            ///< keys of the result before the tile's

    /// The array begins `skew` keys behind the first vector's begin.
    __device__ void set(const Pieces& pieces, unsigned skew) {
        unsigned vectors = 0;
        start[0] = 0;
        before = pieces.before;
#pragma unroll
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned first = pieces.start[way] + pieces.shift[way] + skew;
            start[way + 1] = pieces.start[way + 1];
            offset[way] = vectors * 4 + first % 4;
            source[way] = first / 4;
            vectors += vectors_of(way);
        }
    }
    __device__ unsigned vectors_of(unsigned way) const {
        const unsigned count = start[way + 1] - start[way];
        return count > 0 ? (offset[way] % 4 + count + 3) / 4 : 0;
    }
};

/// The array from which pieces are copied, in vectors. Its first and last one may hold keys that
/// are not the array's: those before it are copied, and not used; those behind it may not exist.
struct Source {
    const int* vectors;  ///< aligned
    unsigned skew;       ///< keys before the array
    unsigned end;        ///< keys up to its end

    __device__ Source(const int* from, unsigned n)
        : vectors(from), skew(reinterpret_cast<std::uintptr_t>(from) / sizeof(int) % 4) {
        vectors -= skew;
        end = n + skew;
    }
    __device__ unsigned whole() const { return end / 4; }
    /// Vectors of a piece, without the array's last one if that is not whole.
    __device__ unsigned whole_of(const PieceLayout& layout, unsigned way) const {
        const unsigned end_of_piece = min(layout.source[way] + layout.vectors_of(way), whole());
        return max(end_of_piece, layout.source[way]) - layout.source[way];
    }
};

/// The thread that starts copies is one of the last warp, which has the least to merge.
__device__ inline bool starts_copies() { return threadIdx.x == blockDim.x - 1; }

/// Copies a tile's pieces to `copied`, or starts to; wait_for_copies() ends it. Must be called by
/// all threads of the block, behind a barrier.
__device__ inline void copy_pieces(const Source& source, const PieceLayout& layout, int* copied,
                                   std::uint64_t* arrived) {
    if (starts_copies()) {
        order_before_copies();
        unsigned bytes = 0;
#pragma unroll 1
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned first = layout.source[way];
            const unsigned whole = source.whole_of(layout, way);
            bytes += 16 * whole;
            // The keys behind the array's last whole vector, one by one.
            if (whole == layout.vectors_of(way)) continue;
            int* const to = copied + layout.offset[way] / 4 * 4;
            for (unsigned i = source.whole() * 4; i < source.end; ++i) {
                to[i - first * 4] = source.vectors[i];
            }
        }
        expect_copies(arrived, bytes);
    }
    if (kBulkCopies && !starts_copies()) return;
#pragma unroll 1
    for (unsigned way = 0; way < kWays; ++way) {
        const unsigned vectors = source.whole_of(layout, way);
        const int* const from = source.vectors + layout.source[way] * 4;
        int* const to = copied + layout.offset[way] / 4 * 4;
        if constexpr (kBulkCopies) {
            if (vectors > 0) start_copy(to, from, 16 * vectors, arrived);
        } else {
            for (unsigned i = threadIdx.x; i < vectors; i += blockDim.x) {
                reinterpret_cast<int4*>(to)[i] = reinterpret_cast<const int4*>(from)[i];
            }
        }
    }
}

/// A block's shape for sweeps of keys.
template <int kKeysPerThread, int kWarpsPerBlock>
struct SweepShape : Shape<int, kKeysPerThread, kWarpsPerBlock> {
    using Base = Shape<int, kKeysPerThread, kWarpsPerBlock>;
    static_assert(kWarpsPerBlock >= 4, "a window is left free for the pairs' ends");
    /// Keys that it merges at a time: a window is left free for the pairs' ends.
    static constexpr unsigned kShare = Base::kTile - Base::kWindow;
    /// Room for the copied pieces, each with up to 6 keys beside it.
    static constexpr unsigned kCopied = kShare + 8 * kWays;
    /// What is copied while a tile is merged, and the tile; and what the kernel itself declares.
    static constexpr std::size_t kDynamicBytes = kCopied * sizeof(int) + Base::kBytes;
    static constexpr unsigned kLayouts = 3;
    static constexpr std::size_t kBytes =
        kDynamicBytes + kLayouts * sizeof(PieceLayout) + sizeof(std::uint64_t);
    /// Registers for all keys of a thread and about half as many again beside them.
    static constexpr unsigned kBlocks = kWarpsPerBlock < 24 ? 24 / kWarpsPerBlock : 1;
};

// merge_best: a block merges four runs at a time, in two rounds in shared memory; a warp merges a
// window of keys in registers, by the bitonic network's half-cleaners. While a tile is merged the
// next one is on its way.
// Removes: half of the sweeps over global memory; the serial merge, and its wait at each key.
// Remains: log2(n) levels of merges, ten comparisons per key each.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_best_kernel(const int* from, int* to, Groups groups, const unsigned* cuts, unsigned tiles,
                      bool last_sweep, KeyType type, std::uint32_t* keys) {
    // Of the tile before, which others may still store, of this one, and of the next.
    __shared__ PieceLayout layouts[S::kLayouts];
    __shared__ std::uint64_t arrived;
    int* const copied = shared_tile<int>();
    int* const tile = copied + S::kCopied;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Source source(from, groups.n);
    const auto lay_out = [&](unsigned next, PieceLayout& layout) {
        if (starts_copies() && next < tiles) layout.set(Pieces(groups, cuts, next), source.skew);
    };
    if (starts_copies()) init_copies(&arrived);
    lay_out(blockIdx.x, layouts[0]);
    __syncthreads();  // the first tile's layout is known, and the copies' barrier is there
    copy_pieces(source, layouts[0], copied, &arrived);
    unsigned turn = 0;
    unsigned parity = 0;
    for (unsigned at = blockIdx.x; at < tiles; at += gridDim.x) {
        const PieceLayout& layout = layouts[turn];
        const unsigned after = turn + 1 < S::kLayouts ? turn + 1 : 0;
        const unsigned next = at + gridDim.x;
        lay_out(next, layouts[after]);
        wait_for_copies(&arrived, parity);
        parity = 1 - parity;

        // The first round: runs 0 and 1 to the tile's first windows, runs 2 and 3 to the next ones.
        const unsigned begin_upper = (layout.start[2] + S::kWindow - 1) / S::kWindow * S::kWindow;
        int key[S::kKeys];
        unsigned left = 0;
        {
            const bool upper = out >= begin_upper;
            const unsigned way = upper ? 2 : 0;
            const Runs runs = {layout.offset[way], layout.start[way + 1] - layout.start[way],
                               layout.offset[way + 1],
                               layout.start[way + 2] - layout.start[way + 1]};
            const unsigned first = upper ? out - begin_upper : out;
            left = runs.count_a + runs.count_b - min(first, runs.count_a + runs.count_b);
            if (left > 0) {
                load_window<LinearLayout, S::kShare / 2>(key, copied, runs, first,
                                                         min(S::kWindow, left));
            }
        }
        __syncthreads();  // all have read what was copied, and stored the tile before
        if (next < tiles) copy_pieces(source, layouts[after], copied, &arrived);
        if (left > 0) {
            clean_window(key, tile, out);
            store_blocked(key, tile, out);
        }
        __syncthreads();  // the windows are written before others read them

        // The second round.
        const unsigned total = layout.start[kWays];
        left = total - min(out, total);
        if (left > 0) {
            const Runs runs = {0, layout.start[2], begin_upper, total - layout.start[2]};
            load_window<PaddedLayout<int>, S::kShare / 2>(key, tile, runs, out,
                                                          min(S::kWindow, left));
        }
        __syncthreads();  // all have read before a window is written
        if (left > 0) {
            clean_window(key, tile, out);
            const unsigned first = layout.before + out;
            const unsigned end = layout.before + total;
            if (last_sweep) {
                store_sorted_blocked_window(key, tile, out, first, end, type, nullptr, keys,
                                            nullptr);
            } else {
                store_blocked_window(key, tile, out, to, first, end);
            }
        }
        turn = after;
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape, but for the last
/// sweep.
template <class SortShape, class MergeShape>
[[nodiscard]] LastSweep<int> merge_four_at_a_time(SortParams<int> params) {
    const unsigned n = static_cast<unsigned>(params.n);
    if (n <= SortShape::kTile) {
        sort_one_tile<SortShape>(params);
        return {};
    }
    // Ints are packed in the memory of the keys: the last sweep must not write where it reads.
    const bool odd = sweeps_above(n, SortShape::kTile) % 2 != 0;
    int* const from = odd ? params.spare : params.packed;
    int* const to = odd ? params.packed : params.spare;
    allow_shared(merge_best_tile_kernel<SortShape>, SortShape::kBytes);
    merge_best_tile_kernel<SortShape>
        <<<divide_up(n, SortShape::kTile), SortShape::kThreads, SortShape::kBytes>>>(
            params.keys, nullptr, n, params.type, from, nullptr);
    CUDA_CHECK_LAUNCH();
    unsigned* const cuts = static_cast<unsigned*>(params.scratch);
    static const unsigned resident = resident_blocks(
        merge_best_kernel<MergeShape>, MergeShape::kThreads, MergeShape::kDynamicBytes);
    const auto merge = [params](const int* runs, int* merged, const Groups& groups,
                                const unsigned* cuts, unsigned tiles, bool is_last,
                                bool beside_others) {
        // As many blocks as run at once: each fetches its next tile while it merges one. But where
        // some of them had to wait for a multiprocessor, all would wait for their many tiles.
        const unsigned blocks = beside_others ? tiles : std::min(tiles, resident);
        merge_best_kernel<MergeShape><<<blocks, MergeShape::kThreads, MergeShape::kDynamicBytes>>>(
            runs, merged, groups, cuts, tiles, is_last, params.type, params.keys);
    };
    return merge_up_to_last_sweep(from, to, n, SortShape::kTile, MergeShape::kShare, cuts, merge);
}

}  // namespace sorting
