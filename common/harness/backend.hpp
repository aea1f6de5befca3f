// What the emulator counted while a stage ran, and the few other things that differ between a
// GPU and the emulator. Its .cpp is the one file of the harness that knows which of the two it
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
    std::uint64_t threads = 0;
    std::uint64_t block_barriers = 0;  ///< __syncthreads and the like, once for each block
    std::uint64_t grid_barriers = 0;   ///< grid-wide barriers, once for the grid
    std::uint64_t shuffles = 0;        ///< once for each warp, or group of its lanes
    std::uint64_t votes = 0;           ///< ballots, any, all, match, reduce; likewise
    std::uint64_t warp_barriers = 0;   ///< __syncwarp; likewise
    std::uint64_t atomics = 0;         ///< once for each thread

    bool has_traffic = false;  ///< false: the program is built without the lab; 0 from here on
    std::uint64_t global_requests = 0, sectors = 0, least_sectors = 0;
    std::uint64_t shared_requests = 0, wavefronts = 0, least_wavefronts = 0;
    std::uint64_t longest_queue = 0;          ///< the most atomics on one word in a launch
    std::uint64_t steps = 0, lane_steps = 0;  ///< pieces of code run by a warp, and by its lanes

    /// Warps of all blocks if all blocks have the same size (otherwise roughly).
    std::uint64_t warps() const;
};

/// True in a program built against the emulator, false in one built by nvcc.
bool on_emulator();

/// Starts the emulator's counts from 0. Does nothing on a GPU.
void reset_counts();

/// The counts since reset_counts(). On a GPU `counted` is false.
Counts read_counts();

/// Tells a profiler that was started with profiling off what to profile: begin and end. Nothing on
/// the emulator.
void start_profiler();
void stop_profiler();

/// In which order the emulator runs the threads of a block: forward, reverse, shuffle (by
/// `seed`). A kernel whose result depends on it has a race. Does nothing on a GPU.
void set_thread_order(const std::string& order, std::uint64_t seed);

}  // namespace tutorial
