// What went over the links between ranks, as the emulator's NCCL counted it. For tools.
#pragma once

#include <cstdint>
#include <vector>

namespace emulator {

/// What this rank sent to one other rank.
struct LinkCount {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// By receiving rank; empty until a communicator exists. A collective counts as the messages of a
/// ring: the steps to the next rank that NCCL's simplest algorithm would take.
std::vector<LinkCount> nccl_link_counts();

void reset_nccl_link_counts();

}  // namespace emulator
