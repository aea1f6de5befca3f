// memcpy_async and wait of cooperative groups. Each thread copies its share at once; what is copied
// is there for all after wait(), as on a device, since that waits for the group.
#pragma once

#include <cstddef>

#include "cooperative_groups.hpp"

namespace cooperative_groups {

/// `bytes` from one place to another. Without a following wait() other threads' parts may be
/// missing.
template <class Group, class To, class From>
void memcpy_async(const Group& group, To* to, const From* from, std::size_t bytes) {
    auto* const target = reinterpret_cast<unsigned char*>(to);
    const auto* const source = reinterpret_cast<const unsigned char*>(from);
    // In pieces of 4 bytes where that goes, as a device copies them.
    const bool is_aligned =
        (reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes) % 4 == 0;
    const std::size_t piece = is_aligned ? 4 : 1;
    for (std::size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece) {
        __builtin_memcpy(target + i, source + i, piece);
    }
}

template <class Group>
void wait(const Group& group, Site site = Site::here()) {
    group.sync(site);
}
/// Work is never behind, so that the last stages are done as well.
template <unsigned Stages, class Group>
void wait_prior(const Group& group, Site site = Site::here()) {
    group.sync(site);
}

}  // namespace cooperative_groups
