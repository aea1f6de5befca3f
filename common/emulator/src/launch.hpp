// One launch while it runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "emulator/counters.hpp"
#include "emulator/kernel.hpp"
#include "emulator/report.hpp"

namespace emulator {

class Block;

struct Launch {
    Launch(const KernelSite& its_site, const LaunchShape& its_shape, const KernelCall& its_call);

    /// The kernel's name for reports.
    std::string kernel_name() const;

    /// Sets what depends on the checked shape: residency, and the order of blocks.
    void prepare();

    /// The block that is the `turn`-th to begin.
    std::uint64_t block_at(std::uint64_t turn) const;

    void add(const Counts& more);

    /// Keeps the first report and makes all workers stop.
    void fail(Report report);

    /// All threads of a block wait for the grid. Returns the generation, which ends when all blocks
    /// wait.
    std::uint64_t arrive_at_grid(const Block& block);
    void block_ends();
    /// Waits until the generation has changed, or the launch has failed.
    void wait_for_grid(std::uint64_t generation);

    const KernelSite& where;
    const LaunchShape& shape;
    const KernelCall& call;
    std::uint64_t blocks;
    std::uint64_t block_step = 1;  ///< from one block to the next if the order is shuffled
    int threads;                   ///< of a block
    int resident_blocks = 1;       ///< how many blocks one worker may hold at once
    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> failed{false};
    std::atomic<std::size_t> static_bytes{0};  ///< most that a block used

    std::mutex mutex;
    Report report;
    Counts counts;

    std::atomic<std::uint64_t> grid_generation{0};
    std::uint64_t blocks_at_grid = 0, blocks_ended = 0;
    Site grid_site;  ///< of the last block that arrived
    std::condition_variable grid_changed;
};

}  // namespace emulator
