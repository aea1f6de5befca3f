#include "counters.hpp"

#include <algorithm>

namespace lab {

Traffic& Traffic::operator+=(const Traffic& other) {
    requests += other.requests;
    lanes += other.lanes;
    bytes += other.bytes;
    sectors += other.sectors;
    least_sectors += other.least_sectors;
    wavefronts += other.wavefronts;
    least_wavefronts += other.least_wavefronts;
    return *this;
}

void Counters::add(const Counters& other) {
    for (int space = 0; space < kSpaces; ++space) {
        for (std::size_t i = 0; i < other.by_site[space].size(); ++i) {
            if (other.by_site[space][i].requests == 0) continue;
            at(static_cast<Space>(space), static_cast<SiteId>(i)) += other.by_site[space][i];
        }
    }
    steps += other.steps;
    lane_steps += other.lane_steps;
    longest = std::max(longest, other.longest);
    lost_blocks += other.lost_blocks;
}

}  // namespace lab
