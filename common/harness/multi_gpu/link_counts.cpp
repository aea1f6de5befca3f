#include "link_counts.hpp"

#include <cuda_runtime.h>

#ifdef TUTORIAL_EMULATOR
#include <nccl_link_counts.hpp>
#endif

namespace tutorial {

#ifdef TUTORIAL_EMULATOR

std::vector<LinkCount> link_counts(int ranks) {
    std::vector<LinkCount> counts(static_cast<std::size_t>(ranks));
    const std::vector<emulator::LinkCount> counted = emulator::nccl_link_counts();
    for (std::size_t i = 0; i < counts.size() && i < counted.size(); ++i) {
        counts[i] = {counted[i].messages, counted[i].bytes};
    }
    return counts;
}

void reset_link_counts() { emulator::reset_nccl_link_counts(); }

#else

std::vector<LinkCount> link_counts(int ranks) {
    return std::vector<LinkCount>(static_cast<std::size_t>(ranks));
}

void reset_link_counts() {}

#endif

}  // namespace tutorial
