// Does the learner's host code fetch data from the device, to compute on the host? No task asks for
// that. Device memory is also inaccessible to it, even through a library's function.
#pragma once

#include <vector>

#include "../lib/verdict.hpp"

namespace grading::worker {

/// While it lives, it records copies from the device to the host, accesses of the host to device
/// memory, and kernels' calls of functions that only the host may call; only those of the learner's
/// code.
class HostReads {
  public:
    HostReads();
    ~HostReads();
    HostReads(const HostReads&) = delete;
    HostReads& operator=(const HostReads&) = delete;

    /// What was recorded since the last call, as one failure.
    static std::vector<detail::Failure> take();
};

}  // namespace grading::worker
