// merge_best, the fastest of the merge sorts: which of its ways, at which n.
//
//   one tile    merge_best_tile_kernel (tiles.cuh): a block sorts the keys
//   few keys    merge_best_grid_kernel (merge_in_one_launch.cuh): all levels in one launch
//   many keys   merge_best_tile_kernel sorts tiles; then a sweep merges four runs, and again, until
//               there is one: merge_best_cuts_kernel (four_runs.cuh) cuts them, so that every block
//               writes as many keys, and merge_best_kernel (merge_keys.cuh) merges a window per
//               warp
//   many pairs  the same by sort_pairs_kernel and merge_pairs_kernel (merge_pairs.cuh)
#pragma once

#include <cstddef>

#include "../../common/harness/device_info.hpp"
#include "merge_in_one_launch.cuh"
#include "merge_keys.cuh"
#include "merge_pairs.cuh"
#include "shapes.cuh"

namespace sorting {

// ---- The best of them ------------------------------------------------------------------------

/// With the shapes that shapes.cuh names; but for the last sweep, where there are sweeps.
template <class Shapes, class SortKey>
[[nodiscard]] LastSweep<InSweeps<SortKey>> merge_best_in(SortParams<SortKey> params) {
    using Tiny = typename Shapes::Tiny;
    using Small = typename Shapes::Small;
    using Middle = typename Shapes::Middle;
    using Large = typename Shapes::Large;
    const std::size_t n = params.n;
    if (n <= Small::kTile || 2 * n * sizeof(SortKey) <= device_info().l2_bytes) {
        // The least tile with which every multiprocessor has work, but no more than one tile.
        const std::size_t share = n / static_cast<std::size_t>(device_info().sm_count);
        if (n <= Tiny::kTile) {
            sort_one_tile<Tiny>(params);
        } else if (n <= Small::kTile) {
            sort_one_tile<Small>(params);
        } else if (share <= Small::kTile) {
            merge_in_one_launch<Small>(params);
        } else if (share <= Middle::kTile) {
            merge_in_one_launch<Middle>(params);
        } else {
            merge_in_one_launch<Large>(params);
        }
        return {};
    }
    using Tile = typename Shapes::Tile;
    using Huge = typename Shapes::Huge;
    using Merge = typename Shapes::Merge;
    // Twice the tile, where that saves a sweep.
    if (sweeps_above(n, Huge::kTile) < sweeps_above(n, Tile::kTile)) {
        return merge_four_at_a_time<Huge, Merge>(params);
    }
    return merge_four_at_a_time<Tile, Merge>(params);
}

/// Sorts all but for the last sweep, where there are sweeps: its parts can be merged one by one,
/// and used at once. The arrays of `params` must stay until then.
template <class SortKey>
[[nodiscard]] LastSweep<InSweeps<SortKey>> merge_best_up_to_last_sweep(SortParams<SortKey> params) {
    LastSweep<InSweeps<SortKey>> last;
    with_shapes<SortKey>(device_info(),
                         [&](auto shapes) { last = merge_best_in<decltype(shapes)>(params); });
    return last;
}

template <class SortKey>
void merge_best(SortParams<SortKey> params) {
    merge_best_up_to_last_sweep(params).merge_all();
}

}  // namespace sorting
