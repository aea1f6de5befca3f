// Reductions over a tile or a coalesced group.
#pragma once

#include "cooperative_groups.hpp"
#include "group_operators.hpp"

namespace cooperative_groups {

/// `op` over the values of all threads of a tile or a coalesced group; every thread gets it. A tree
/// of log2(size) shuffles, then a broadcast.
template <class Group, class T, class Op>
T reduce(const Group& group, T value, Op op, Site site = Site::here()) {
    const unsigned size = static_cast<unsigned>(group.emulator::LaneGroup::num_threads());
    const unsigned rank = group.thread_rank();
    unsigned half = 1;
    while (half < size) half *= 2;
    while ((half /= 2) != 0) {
        const T other = group.shfl_down(value, half, site);
        if (rank < half && rank + half < size) value = op(value, other);
    }
    return group.shfl(value, 0, site);
}

/// The same over a tile of more than a warp.
template <unsigned Size, class Parent, class T, class Op>
T reduce(const thread_block_tile<Size, Parent, true>& tile, T value, Op op,
         Site site = Site::here()) {
    static_assert(std::is_trivially_copyable<T>::value, "a group reduces trivially copyable types");
    const auto* const given =
        static_cast<const T*>(emulator::tile_values(Size, &value, sizeof(T), site));
    T result = given[0];
    for (unsigned rank = 1; rank < tile.existing(); ++rank) result = op(result, given[rank]);
    return result;
}

}  // namespace cooperative_groups
