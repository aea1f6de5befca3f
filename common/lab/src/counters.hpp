// Counts of one worker and one kernel, by access site.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "access_sites.hpp"
#include "lab/lab.hpp"

namespace lab {

constexpr int kSpaces = 3;  ///< global, shared and constant

struct Counters {
    std::vector<Traffic> by_site[kSpaces];
    std::uint64_t steps = 0;           ///< basic blocks and accesses, once for each group of lanes
    std::uint64_t lane_steps = 0;      ///< the same, once for each lane
    std::uint64_t longest = 0;         ///< the most in one thread
    std::uint64_t left_in_shared = 0;  ///< as KernelReport's
    std::uint64_t states = 0;
    Moved moved[kMoves];            ///< by move_of()
    std::uint64_t lost_blocks = 0;  ///< blocks whose threads did too much to be recorded

    /// How many atomic operations a place has done on each word of global memory, as far as there
    /// is room.
    static constexpr std::size_t kMaxWords = std::size_t{1} << 20;
    std::map<SiteId, std::unordered_map<std::uintptr_t, std::uint64_t>> queues;

    Traffic& at(Space space, SiteId site) {
        std::vector<Traffic>& all = by_site[static_cast<int>(space)];
        if (site >= all.size()) all.resize(site + 64u);
        return all[site];
    }

    void add(const Counters& other);
    /// What these lanes of a warp have moved until their block's end.
    void add_moved(const std::uint64_t (&bytes)[kMoves][32], std::uint32_t lanes);
    /// Called at the end of a launch: keeps the longest queue of each place, and forgets the words.
    void close_queues();
    bool empty() const { return steps == 0 && lost_blocks == 0; }
};

}  // namespace lab
