// Counts of one worker and one kernel, by access site.
#pragma once

#include <cstdint>
#include <vector>

#include "access_sites.hpp"
#include "lab/lab.hpp"

namespace lab {

constexpr int kSpaces = 2;  ///< global and shared

struct Counters {
    std::vector<Traffic> by_site[kSpaces];
    std::uint64_t steps = 0;        ///< basic blocks and accesses, once for each group of lanes
    std::uint64_t lane_steps = 0;   ///< the same, once for each lane
    std::uint64_t longest = 0;      ///< most of them in one thread
    std::uint64_t lost_blocks = 0;  ///< blocks of threads that were too long to be recorded

    Traffic& at(Space space, SiteId site) {
        std::vector<Traffic>& all = by_site[static_cast<int>(space)];
        if (site >= all.size()) all.resize(site + 64u);
        return all[site];
    }

    void add(const Counters& other);
    bool empty() const { return steps == 0 && lost_blocks == 0; }
};

}  // namespace lab
