// Locks that some threads take in another order than others do: each may hold one and wait for the
// other's forever. Which threads do so depends on time, so the order itself is the fault.
#include <algorithm>

#include "rules.hpp"
#include "source_calls.hpp"
#include "source_locks.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// The index of the lock on a line: "b" of "take(&locks[b]);"; empty: there is none.
std::string index_on(const Place& place) {
    const std::vector<IndexText> all = indexes_of(source_line(place.file, place.line));
    return all.size() == 1 ? without_blanks(all.front().index) : std::string();
}

std::string advice_on_order(const Place& first, const Place& second, const Place& other_first,
                            const Place& other_second) {
    if (first.line != other_first.line || second.line != other_second.line) {
        return fmt::format(
            " Take them\nin one order everywhere: let lines {} and {} change places, or {} and {}.",
            first.line, second.line, other_first.line, other_second.line);
    }
    const std::string one = index_on(first), other = index_on(second);
    if (one.empty() || other.empty()) {
        return " Let all threads\ntake first the lock that has the smaller address.";
    }
    return fmt::format(
        " Let all threads\ntake the one with the smaller index first: that of min({0}, {1}) in "
        "line "
        "{2},\nand that of max({0}, {1}) in line {3} (none there if the two are equal).",
        one, other, first.line, second.line);
}

}  // namespace

void LockOrder::look(const Access& access, bool is_operation) {
    if (launch_ != run_.launch_count) {
        launch_ = run_.launch_count;
        held_.clear();
        orders_.clear();
    }
    const Thread thread{run_.block->clock.block, run_.number};
    bool takes = false;
    if (is_operation && access.bytes == 4) {
        const auto [at, fresh] = takes_.try_emplace(access.site, false);
        if (fresh) {
            const Place place = place_of(access.site);
            at->second = waits_for_lock(place.file, place.line);
        }
        takes = at->second;
    }
    if (!takes) {
        if (is_operation) no_lock_ = access.site;
        const auto at = held_.find(thread);
        if (at == held_.end()) return;
        std::vector<Lock>& all = at->second;
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [&](const Lock& each) { return each.word == access.address; }),
                  all.end());
        if (all.empty()) held_.erase(at);
        return;
    }
    const auto held = held_.find(thread);
    if (held != held_.end()) {
        for (const Lock& each : held->second) {
            if (each.word != access.address) note(thread, each, access, held->second);
        }
    }
    const bool is_free = *reinterpret_cast<const unsigned*>(access.address) == 0;
    if (is_free) held_[thread].push_back({access.address, access.site});
}

void LockOrder::note(const Thread& thread, const Lock& first, const Access& second,
                     const std::vector<Lock>& all) {
    constexpr std::size_t kMaxOrders = 1000;
    const auto found = orders_.try_emplace({first.word, second.address});
    if (!found.second || orders_.size() > kMaxOrders) return;
    Order& made = found.first->second;
    const std::uint32_t interval = run_.block->clock.interval;
    Party mine = party(run_, second,
                       fmt::format("holds the lock of line {}, and waits for another",
                                   kernel_place_of(first.site).line));
    made = {thread, interval, first.site, second.site, mine, {}};
    for (const Lock& each : all) {
        if (each.word != first.word) made.others.push_back(each.word);
    }
    // Others hold what this one waits for, and wait in the end for what it holds.
    std::vector<std::uintptr_t> reached{second.address};
    const Order* next = nullptr;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const auto& [words, order] : orders_) {
            const bool is_barrier_between =
                order.thread.first == thread.first && order.interval != interval;
            const bool is_shared =
                std::any_of(order.others.begin(), order.others.end(), [&](std::uintptr_t word) {
                    return std::find(made.others.begin(), made.others.end(), word) !=
                           made.others.end();
                });
            if (words.first != reached[i] || order.thread == thread || is_barrier_between ||
                is_shared ||
                std::find(reached.begin(), reached.end(), words.second) != reached.end()) {
                continue;
            }
            if (i == 0 && next == nullptr) next = &order;
            reached.push_back(words.second);
            if (words.second != first.word) continue;
            if (words.first == second.address) next = &order;
            report(made, *next, words.first == second.address);
            return;
        }
    }
}

void LockOrder::report(const Order& mine, const Order& other, bool is_pair) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(kernel_place_of(mine.second)),
                            source_place(kernel_place_of(mine.first)));
    if (findings_.is_known(key)) return;
    Finding made = finding(run_, Fault::backend, "lock_order",
                           is_pair ? "two locks in opposite order" : "locks in a ring", mine.party);
    made.parties.push_back(other.party);
    made.evidence =
        is_pair ? "Each may have its first lock, and then wait forever for that of the other."
                : "Each may have its first lock, and then wait forever for that of the next.";
    made.advice = advice_on_order(kernel_place_of(mine.first), kernel_place_of(mine.second),
                                  kernel_place_of(other.first), kernel_place_of(other.second));
    findings_.add(key, std::move(made));
}

}  // namespace lab
