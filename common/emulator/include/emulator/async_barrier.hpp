// A barrier that is an object: a thread may arrive in one place and wait in another. cuda::barrier
// and cuda::pipeline are built on it. It serves the threads of one block.
#pragma once

#include <cstdint>

#include "site.hpp"

namespace emulator {

/// As large as a device's own. Until init_barrier() has filled it, it is not a barrier.
struct AsyncBarrier {
    static constexpr unsigned kMaxThreads = (1u << 20) - 1;

    std::uint64_t expected : 20;  ///< arrivals that complete a phase
    std::uint64_t missing : 20;   ///< of the running phase
    std::uint64_t phase : 24;     ///< how many are complete
};
static_assert(sizeof(AsyncBarrier) == 8, "programs rely on a device's size");

void init_barrier(AsyncBarrier& barrier, unsigned expected, Site site);

/// Counts `count` arrivals. `drops`: later phases expect that many fewer. Returns the running
/// phase.
unsigned arrive(AsyncBarrier& barrier, unsigned count, bool drops, Site site);

/// Whether this phase is complete; for a parity: whether the last phase of that parity is.
bool is_complete(const AsyncBarrier& barrier, unsigned phase, Site site);
bool is_parity_complete(const AsyncBarrier& barrier, bool parity, Site site);

/// Makes the calling thread wait until the phase is complete.
void wait_for_phase(const AsyncBarrier& barrier, unsigned phase, Site site);
void wait_for_parity(const AsyncBarrier& barrier, bool parity, Site site);

}  // namespace emulator
