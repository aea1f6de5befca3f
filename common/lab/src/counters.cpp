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
    turns += other.turns;
    longest_queue = std::max(longest_queue, other.longest_queue);
    return *this;
}

Moved& Moved::operator+=(const Moved& other) {
    most = std::max(most, other.most);
    threads += other.threads;
    bytes += other.bytes;
    return *this;
}

void Counters::add(const Counters& other) {
    for (int space = 0; space < kSpaces; ++space) {
        for (std::size_t i = 0; i < other.by_site[space].size(); ++i) {
            if (other.by_site[space][i].requests == 0) continue;
            at(static_cast<Space>(space), static_cast<SiteId>(i)) += other.by_site[space][i];
        }
    }
    for (const auto& [site, words] : other.queues) {
        auto& mine = queues[site];
        for (const auto& [word, count] : words) mine[word] += count;
    }
    steps += other.steps;
    lane_steps += other.lane_steps;
    longest = std::max(longest, other.longest);
    left_in_shared += other.left_in_shared;
    states += other.states;
    for (int move = 0; move < kMoves; ++move) moved[move] += other.moved[move];
    lost_blocks += other.lost_blocks;
}

void Counters::add_moved(const std::uint64_t (&bytes)[kMoves][32], std::uint32_t lanes) {
    for (int move = 0; move < kMoves; ++move) {
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const std::uint64_t of_lane = bytes[move][__builtin_ctz(rest)];
            moved[move] += Moved{of_lane, of_lane != 0 ? 1u : 0u, of_lane};
        }
    }
}

void Counters::close_queues() {
    for (const auto& [site, words] : queues) {
        std::uint64_t longest = 0;
        for (const auto& [word, count] : words) longest = std::max(longest, count);
        Traffic& traffic = at(Space::global, site);
        traffic.longest_queue = std::max(traffic.longest_queue, longest);
    }
    queues.clear();
}

}  // namespace lab
