// Reductions over a tile or a coalesced group.
#pragma once

#include "cooperative_groups.hpp"
#include "group_operators.hpp"

namespace cooperative_groups {

/// `op` over the values of all threads of a tile or a coalesced group; every thread gets it. A tree
/// of log2(size) shuffles, then a broadcast.
template <class Group, class T, class Op>
T reduce(const Group& group, T value, Op op, Site site = Site::here()) {
    const unsigned size = static_cast<unsigned>(group.cpu::LaneGroup::num_threads());
    const unsigned rank = group.thread_rank();
    unsigned half = 1;
    while (half < size) half *= 2;
    while ((half /= 2) != 0) {
        const T other = group.shfl_down(value, half, site);
        if (rank < half && rank + half < size) value = op(value, other);
    }
    return group.shfl(value, 0, site);
}

}  // namespace cooperative_groups
