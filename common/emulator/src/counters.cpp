#include "emulator/counters.hpp"

#include <algorithm>
#include <mutex>

#include "totals.hpp"

namespace emulator {

__thread Counts current_counts;

namespace {

struct Totals {
    std::mutex mutex;
    Counts total, last;
};

Totals& totals() {
    static Totals* const all = new Totals;
    return *all;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
    launches += other.launches;
    blocks += other.blocks;
    threads += other.threads;
    block_barriers += other.block_barriers;
    barrier_arrivals += other.barrier_arrivals;
    grid_barriers += other.grid_barriers;
    shuffles += other.shuffles;
    shuffle_lanes += other.shuffle_lanes;
    shuffle_values += other.shuffle_values;
    votes += other.votes;
    vote_lanes += other.vote_lanes;
    most_exchanges = std::max(most_exchanges, other.most_exchanges);
    warp_barriers += other.warp_barriers;
    warp_barrier_lanes += other.warp_barrier_lanes;
    atomics += other.atomics;
    return *this;
}

void add_to_totals(const Counts& launch) {
    Totals& all = totals();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.last = launch;
    all.total += launch;
}

Counts total_counts() {
    Totals& all = totals();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return all.total;
}

Counts last_launch_counts() {
    Totals& all = totals();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return all.last;
}

void reset_counts() {
    Totals& all = totals();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.total = Counts{};
}

}  // namespace emulator
