// Prefix sums over a tile or a coalesced group.
#pragma once

#include "cooperative_groups.hpp"
#include "group_operators.hpp"

namespace cooperative_groups {

/// `op` over the values of the threads up to this one.
template <class Group, class T, class Op>
T inclusive_scan(const Group& group, T value, Op op, Site site = Site::here()) {
    const unsigned size = static_cast<unsigned>(group.emulator::LaneGroup::num_threads());
    const unsigned rank = group.thread_rank();
    for (unsigned distance = 1; distance < size; distance *= 2) {
        const T other = group.shfl_up(value, distance, site);
        if (rank >= distance) value = op(other, value);
    }
    return value;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, Site site = Site::here()) {
    return inclusive_scan(group, value, plus<T>(), site);
}

/// `op` over the values of the threads before this one; the first gets a T made from nothing (0).
template <class Group, class T, class Op>
T exclusive_scan(const Group& group, T value, Op op, Site site = Site::here()) {
    const T before = group.shfl_up(inclusive_scan(group, value, op, site), 1, site);
    return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, Site site = Site::here()) {
    return exclusive_scan(group, value, plus<T>(), site);
}

}  // namespace cooperative_groups
