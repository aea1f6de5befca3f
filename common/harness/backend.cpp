#include "backend.hpp"

#include <cuda_runtime.h>

#ifdef TUTORIAL_EMULATOR
#include <emulator/counters.hpp>
#include <emulator/settings.hpp>
#else
#include <cuda_profiler_api.h>
#endif

namespace tutorial {

std::uint64_t Counts::warps() const {
    if (blocks == 0) return 0;
    constexpr std::uint64_t kWarpSize = 32;
    const std::uint64_t threads_per_block = threads / blocks;
    return blocks * ((threads_per_block + kWarpSize - 1) / kWarpSize);
}

#ifdef TUTORIAL_EMULATOR

bool on_emulator() { return true; }

void reset_counts() { emulator::reset_counts(); }

void start_profiler() {}

void stop_profiler() {}

Counts read_counts() {
    const emulator::Counts from = emulator::total_counts();
    Counts counts;
    counts.counted = true;
    counts.launches = from.launches;
    counts.blocks = from.blocks;
    counts.threads = from.threads;
    counts.block_barriers = from.block_barriers;
    counts.grid_barriers = from.grid_barriers;
    counts.shuffles = from.shuffles;
    counts.votes = from.votes;
    counts.warp_barriers = from.warp_barriers;
    counts.atomics = from.atomics;
    return counts;
}

void set_thread_order(const std::string& order, std::uint64_t seed) {
    if (order == "shuffle") {
        emulator::set_order(emulator::Order::shuffle, seed);
    } else {
        emulator::set_order(order == "reverse" ? emulator::Order::reverse
                                               : emulator::Order::forward);
    }
}

#else

bool on_emulator() { return false; }

void reset_counts() {}

void start_profiler() { static_cast<void>(cudaProfilerStart()); }

void stop_profiler() { static_cast<void>(cudaProfilerStop()); }

Counts read_counts() { return {}; }

void set_thread_order(const std::string&, std::uint64_t) {}

#endif

}  // namespace tutorial
