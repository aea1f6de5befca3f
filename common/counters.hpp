// What the CPU backend counted while a stage ran, and the few other things that differ between a
// GPU and the CPU backend. Its .cpp is the one file of the harness that knows which of the two it
// is compiled for.
#pragma once

#include <cstdint>
#include <string>

namespace tutorial {

/// Counts of one run of a stage, summed over its launches. All 0 on a GPU.
struct Counts {
    bool counted = false;  ///< false: nothing was counted (a GPU, a host row, a skipped row)
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t threads_per_block = 0;  ///< of the largest launch; see `mixed_blocks`
    bool mixed_blocks = false;            ///< the launches had blocks of different sizes
    std::uint64_t warps = 0;
    std::uint64_t barriers = 0;        ///< barriers passed, each counted once for its block
    std::uint64_t warp_exchanges = 0;  ///< shuffles, votes, warp barriers; once for their warp
    std::uint64_t atomics = 0;         ///< atomic operations, each thread's counted
};

/// True in a program built against the CPU backend, false in one built by nvcc.
bool on_cpu_backend();

/// Starts the CPU backend's counts from 0. Does nothing on a GPU.
void reset_counts();

/// The counts since reset_counts(). On a GPU `counted` is false.
Counts read_counts();

/// In which order the CPU backend runs the threads of a block: forward, reverse, shuffle (by
/// `seed`). A kernel whose result depends on it has a race. Does nothing on a GPU.
void set_thread_order(const std::string& order, std::uint64_t seed);

}  // namespace tutorial
