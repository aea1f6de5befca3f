// How many messages and bytes this rank sent over each link: what the emulator counted.
#pragma once

#include <cstdint>
#include <vector>

namespace tutorial {

struct LinkCount {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// By receiving rank, since the last reset; all 0 on a GPU, where nothing is counted.
std::vector<LinkCount> link_counts(int ranks);
void reset_link_counts();

}  // namespace tutorial
