// Does the learner's host code fetch what is on the device, to compute there? No task asks for
// that. Device memory is also inaccessible to it, even through a function of a library.
#pragma once

#include <vector>

#include "../lib/verdict.hpp"

namespace grading::worker {

/// While it lives, copies from the device to the host are noted, that the host touches device
/// memory, and that a kernel calls what is the host's to call; all of it is the learner's.
class HostReads {
  public:
    HostReads();
    ~HostReads();
    HostReads(const HostReads&) = delete;
    HostReads& operator=(const HostReads&) = delete;

    /// What was noted since the last call, as one failure.
    static std::vector<detail::Failure> take();
};

}  // namespace grading::worker
