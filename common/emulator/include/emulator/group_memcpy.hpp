// memcpy_async and wait of cooperative groups. Each thread copies its share at once; all of it has
// arrived after wait(), as on a device, because that waits for the group.
#pragma once

#include <cstddef>

#include "cooperative_groups.hpp"
#include "share_copy.hpp"

namespace cooperative_groups {

/// `bytes` from one place to another. Without a following wait() other threads' parts may be
/// missing.
template <class Group, class To, class From>
void memcpy_async(const Group& group, To* to, const From* from, std::size_t bytes) {
    emulator::copy_share(to, from, bytes, group.thread_rank(), group.size());
    emulator::async_copies_committed();
}

/// The same in items: as many as both sides can hold.
template <class Group, class T>
void memcpy_async(const Group& group, T* to, std::size_t to_count, const T* from,
                  std::size_t from_count) {
    memcpy_async(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}

template <class Group>
void wait(const Group& group, Site site = Site::here()) {
    emulator::async_copies_waited_for(0, site);
    group.sync(site);
}
/// All but the newest Stages copies.
template <unsigned Stages, class Group>
void wait_prior(const Group& group, Site site = Site::here()) {
    emulator::async_copies_waited_for(Stages, site);
    group.sync(site);
}

}  // namespace cooperative_groups
