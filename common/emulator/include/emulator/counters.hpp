// What the emulator counts while kernels run: things that a CPU counts exactly as a GPU would.
#pragma once

#include <cstdint>

namespace emulator {

/// Counts of one launch, or summed over several.
struct Counts {
    std::uint64_t launches = 0;            ///< kernels launched
    std::uint64_t blocks = 0;              ///< blocks run to their end
    std::uint64_t threads = 0;             ///< threads run to their end
    std::uint64_t block_barriers = 0;      ///< barriers passed, one for each block
    std::uint64_t barrier_arrivals = 0;    ///< the same, one for each thread
    std::uint64_t grid_barriers = 0;       ///< grid-wide barriers passed, one for the grid
    std::uint64_t shuffles = 0;            ///< shuffles, one for each group of lanes
    std::uint64_t shuffle_lanes = 0;       ///< the same, one for each lane
    std::uint64_t shuffle_values = 0;      ///< sum of the values that lanes give to shuffles, their
                                           ///< lower 32 bits, each times its lane's number from 1
    std::uint64_t votes = 0;               ///< ballots, any, all, match and reduce, for each group
    std::uint64_t vote_lanes = 0;          ///< the same, one for each lane
    std::uint64_t most_exchanges = 0;      ///< shuffles and votes of the thread with the most
    std::uint64_t warp_barriers = 0;       ///< __syncwarp, one for each group of lanes
    std::uint64_t warp_barrier_lanes = 0;  ///< the same, one for each lane
    std::uint64_t atomics = 0;             ///< atomic operations, one for each thread

    Counts& operator+=(const Counts& other);
};

/// Everything since the program began or since reset_counts().
Counts total_counts();

/// The last launch alone.
Counts last_launch_counts();

/// Sets total_counts() to 0.
void reset_counts();

/// The running worker's own counts; added up at the end of a launch.
extern __thread Counts current_counts;

}  // namespace emulator
