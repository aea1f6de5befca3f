#include "happens_before.hpp"

#include <algorithm>
#include <utility>

namespace lab {
namespace {

void merge(Seen& into, const Seen& from) {
    for (const auto& [variable, operation] : from) into.raise(variable, operation);
}

std::uint32_t& seen(BlockClock& block, int thread, int lane) {
    return block.seen[static_cast<std::size_t>(thread) * 32 + static_cast<std::size_t>(lane)];
}

const std::uint32_t* seen_lanes(const BlockClock& block, int thread) {
    return &block.seen[static_cast<std::size_t>(thread) * 32];
}

ThreadClock& thread_of(BlockClock& block, int thread) {
    return block.threads[static_cast<std::size_t>(thread)];
}

const ThreadClock& thread_of(const BlockClock& block, int thread) {
    return block.threads[static_cast<std::size_t>(thread)];
}

}  // namespace

// ---- What has been seen ------------------------------------------------------------------------

/// The position of its number, or where it would be.
std::size_t Seen::place_of(std::uintptr_t variable) const {
    std::size_t place = variable / 4 * std::size_t{0x9e3779b1} % places_.size();
    while (places_[place] != 0 && entries_[places_[place] - 1].variable != variable) {
        place = (place + 1) % places_.size();
    }
    return place;
}

std::uint32_t Seen::last(std::uintptr_t variable) const {
    if (!places_.empty()) {
        const std::uint32_t number = places_[place_of(variable)];
        return number != 0 ? entries_[number - 1].operation : 0;
    }
    for (const Entry& each : entries_) {
        if (each.variable == variable) return each.operation;
    }
    return 0;
}

void Seen::raise(std::uintptr_t variable, std::uint32_t operation) {
    if (places_.empty()) {
        for (Entry& each : entries_) {
            if (each.variable != variable) continue;
            each.operation = std::max(each.operation, operation);
            return;
        }
        entries_.push_back({variable, operation});
        if (entries_.size() > kFew) make_places();
        return;
    }
    std::uint32_t& number = places_[place_of(variable)];
    if (number != 0) {
        std::uint32_t& known = entries_[number - 1].operation;
        known = std::max(known, operation);
        return;
    }
    entries_.push_back({variable, operation});
    number = static_cast<std::uint32_t>(entries_.size());
    if (entries_.size() > places_.size() / 2) make_places();
}

void Seen::make_places() {
    places_.assign(8 * entries_.size(), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        places_[place_of(entries_[i].variable)] = static_cast<std::uint32_t>(i + 1);
    }
}

void Seen::clear() {
    entries_.clear();
    places_.clear();
}

// ---- What happens ------------------------------------------------------------------------------

void HappensBefore::begin() {
    variables_.clear();
    used_.fill({});
    has_system_fence_ = false;
}

void HappensBefore::start(BlockClock& block, std::uint32_t number, std::size_t threads) {
    block.block = number;
    block.interval = 1;
    block.threads.assign(threads, {});
    block.seen.assign(threads * 32, 0);
    block.heard.clear();
    block.acquired.clear();
    block.shared_bytes = 0;
    block.meetings.clear();
    block.fences = 0;
    block.fenced_interval = 0;
}

void HappensBefore::barrier(BlockClock& block) {
    if (block.fences >= static_cast<int>(block.threads.size())) {
        block.fenced_interval = block.interval;
    }
    block.fences = 0;
    ++block.interval;
    bool has_acquired = false;
    for (const ThreadClock& thread : block.threads) {
        has_acquired = has_acquired || thread.has_acquired_blocks;
    }
    if (has_acquired) {
        merge(block.acquired, block.heard);
        block.heard.clear();
    }
    // What was done to variables in shared memory is ordered by the barrier, and need not be kept.
    const auto merge_global = [&block](Seen& into, const Seen& from) {
        for (const auto& [variable, operation] : from) {
            if (variable - block.shared < block.shared_bytes) continue;
            into.raise(variable, operation);
        }
    };
    for (ThreadClock& thread : block.threads) {
        thread.has_acquired_blocks = false;
        thread.acquired_in_block.clear();
        if (thread.heard.empty() && thread.acquired.empty()) continue;
        merge_global(block.heard, thread.heard);
        merge_global(block.acquired, thread.acquired);
        thread.heard.clear();
        thread.acquired.clear();
    }
}

void HappensBefore::exchange(BlockClock& block, int warp, std::uint32_t lanes) {
    ThreadClock all;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const ThreadClock& lane = thread_of(block, warp * 32 + __builtin_ctz(rest));
        merge(all.heard, lane.heard);
        merge(all.acquired, lane.acquired);
        merge(all.acquired_in_block, lane.acquired_in_block);
        all.has_acquired_blocks = all.has_acquired_blocks || lane.has_acquired_blocks;
    }
    if (all.heard.empty() && all.acquired.empty() && !all.has_acquired_blocks) return;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        ThreadClock& lane = thread_of(block, warp * 32 + __builtin_ctz(rest));
        lane.heard = all.heard;
        lane.acquired = all.acquired;
        lane.acquired_in_block = all.acquired_in_block;
        lane.has_acquired_blocks = all.has_acquired_blocks;
    }
}

void HappensBefore::sync_warp(BlockClock& block, int warp, std::uint32_t lanes) {
    exchange(block, warp, lanes);
    std::uint32_t known[32] = {};
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int thread = warp * 32 + __builtin_ctz(rest);
        for (int lane = 0; lane < 32; ++lane) {
            known[lane] = std::max(known[lane], seen(block, thread, lane));
        }
        known[thread % 32] = ++block.threads[static_cast<std::size_t>(thread)].clock;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        std::copy(known, known + 32, &seen(block, warp * 32 + __builtin_ctz(rest), 0));
    }
    share_fences(block, warp, lanes, &ThreadClock::fence);
    share_fences(block, warp, lanes, &ThreadClock::block_fence);
}

/// What a lane did before its own fence is released by what another lane does after the barrier, if
/// that one has had a fence as well: all lanes call __threadfence(), then __syncwarp(), and one
/// sets the flag.
void HappensBefore::share_fences(BlockClock& block, int warp, std::uint32_t lanes,
                                 Fence ThreadClock::*which) {
    Lanes fenced{};
    int count = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        fenced[static_cast<std::size_t>(lane)] = (thread_of(block, warp * 32 + lane).*which).clock;
        count += fenced[static_cast<std::size_t>(lane)] != 0;
    }
    if (count < 2) return;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        Fence& own = thread_of(block, warp * 32 + __builtin_ctz(rest)).*which;
        if (own.clock == 0) continue;
        Lanes all = own.lanes != nullptr ? *own.lanes : Lanes{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], fenced[i]);
        own.lanes = std::make_shared<const Lanes>(all);
    }
}

void HappensBefore::fence(BlockClock& block, int thread, bool is_block_scope) {
    ThreadClock& clock = thread_of(block, thread);
    Fence made{++clock.clock, block.interval, nullptr};
    const std::uint32_t* const known = &seen(block, thread, 0);
    if (std::any_of(known, known + 32, [](std::uint32_t each) { return each != 0; })) {
        Lanes lanes;
        std::copy(known, known + 32, lanes.begin());
        made.lanes = std::make_shared<const Lanes>(lanes);
    }
    clock.block_fence = made;
    if (is_block_scope) {
        merge(clock.acquired_in_block, clock.heard);
        return;
    }
    if (clock.fence.interval != block.interval) ++block.fences;
    clock.fence = std::move(made);
    merge(clock.acquired, clock.heard);
    clock.heard.clear();
    clock.has_acquired_blocks = true;
}

void HappensBefore::make_meeting(BlockClock& block, const void* barrier) {
    block.meetings[barrier] = {};
}

void HappensBefore::arrive(BlockClock& block, int thread, const void* barrier, bool completes) {
    AsyncMeeting& meeting = block.meetings[barrier];
    meeting.arrived.resize(block.threads.size());
    ThreadClock& clock = thread_of(block, thread);
    const auto learn = [&meeting](std::size_t other, std::uint32_t until) {
        meeting.arrived[other] = std::max(meeting.arrived[other], until);
    };
    learn(static_cast<std::size_t>(thread), ++clock.clock);
    const std::size_t warp = static_cast<std::size_t>(thread / 32) * 32;
    for (std::size_t lane = 0; lane < 32 && warp + lane < block.threads.size(); ++lane) {
        learn(warp + lane, seen(block, thread, static_cast<int>(lane)));
    }
    // The barrier already has what this thread learnt from it before.
    if (clock.learnt != nullptr && clock.learnt != meeting.complete) {
        for (std::size_t other = 0; other < clock.learnt->size(); ++other) {
            learn(other, (*clock.learnt)[other]);
        }
    }
    if (completes) {
        meeting.complete = std::make_shared<const std::vector<std::uint32_t>>(meeting.arrived);
    }
}

void HappensBefore::pass(BlockClock& block, int thread, const void* barrier) {
    const AsyncMeeting& meeting = block.meetings[barrier];
    ThreadClock& clock = thread_of(block, thread);
    if (meeting.complete == nullptr || clock.learnt == meeting.complete) return;
    if (clock.learnt == nullptr) {
        clock.learnt = meeting.complete;
        return;
    }
    std::vector<std::uint32_t> both = *meeting.complete;
    bool is_more = false;
    for (std::size_t other = 0; other < both.size(); ++other) {
        const std::uint32_t before = (*clock.learnt)[other];
        is_more = is_more || before > both[other];
        both[other] = std::max(both[other], before);
    }
    clock.learnt = is_more ? std::make_shared<const std::vector<std::uint32_t>>(std::move(both))
                           : meeting.complete;
}

void HappensBefore::Releases::add(Release&& made) {
    all_.push_back(std::move(made));
    if (all_.size() > most_) drop_old();
}

/// Those without a fence only help to phrase a report. Each later release of that thread also
/// publishes what came before a fence, so its last one is enough.
void HappensBefore::Releases::drop_old() {
    const std::size_t newest = all_.size() - kNewest;
    std::vector<bool> is_known;
    std::size_t to = newest;
    for (std::size_t i = all_.size(); i-- > 0;) {
        if (!all_[i].has_fence()) continue;
        const std::size_t thread = all_[i].thread;
        if (is_known.size() <= thread) is_known.resize(thread + 1);
        if (i < newest && !is_known[thread] && --to != i) all_[to] = std::move(all_[i]);
        is_known[thread] = true;
    }
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(to));
    most_ = 2 * std::max(all_.size(), kNewest);
}

std::uint32_t HappensBefore::atomic(BlockClock& block, int thread, std::uintptr_t address) {
    ThreadClock& clock = block.threads[static_cast<std::size_t>(thread)];
    Used& used = used_[address / 4 % kUsed];
    if (used.address != address) used = {address, 0, &variables_[address], nullptr};
    Variable& variable = *used.variable;
    if (used.block != block.block || used.releases == nullptr) {
        // Shared memory is used only by its block; an earlier block had it at the same address.
        const bool is_shared = address - block.shared < block.shared_bytes;
        if (is_shared && variable.by_block.count(block.block) == 0) variable.by_block.clear();
        used.block = block.block;
        used.releases = &variable.by_block[block.block];
    }
    const std::uint32_t operation = ++variable.operations;
    ++clock.operations;
    merge(clock.heard, variable.known);
    clock.heard.raise(address, operation);
    const bool has_fence = clock.fence.clock != 0 || block.fenced_interval != 0;
    if (has_fence) {
        merge(variable.known, block.acquired);
        if (clock.has_acquired_blocks) merge(variable.known, block.heard);
        merge(variable.known, clock.acquired);
    }
    used.releases->add({operation, block.interval, block.fenced_interval, clock.fence,
                        clock.block_fence, clock.operations, static_cast<std::uint16_t>(thread)});
    return operation;
}

template <class Use>
bool HappensBefore::any_release(const Stamp& before, const Seen& seen, Use use) const {
    for (const auto& [address, operation] : seen) {
        const auto variable = variables_.find(address);
        if (variable == variables_.end()) continue;
        const auto releases = variable->second.by_block.find(before.block);
        if (releases == variable->second.by_block.end()) continue;
        for (const Release& release : releases->second.all()) {
            if (release.operation <= operation && use(release)) return true;
        }
    }
    return false;
}

/// Whether one of these operations came after a fence that came after `before`.
/// `in_block`: fences of block scope count too.
bool HappensBefore::is_released(const Stamp& before, const Seen& seen, bool in_block) const {
    return any_release(before, seen, [&](const Release& release) {
        const Fence& fence = in_block ? release.block_fence : release.fence;
        if (release.thread == before.thread && before.clock < fence.clock) return true;
        if (fence.lanes != nullptr && release.thread / 32 == before.thread / 32 &&
            before.clock < (*fence.lanes)[before.thread % 32u]) {
            return true;  // by __syncwarp before the fence
        }
        return before.interval < fence.interval ||
               (before.interval <= release.fenced_interval && before.interval < release.interval);
    });
}

bool HappensBefore::is_ordered(const Stamp& before, const BlockClock& block, int thread) const {
    if (before.block == block.block) {
        if (before.interval < block.interval || before.thread == thread) return true;
        if (before.thread / 32 == thread / 32 &&
            block.seen[static_cast<std::size_t>(thread) * 32 + before.thread % 32u] >
                before.clock) {
            return true;
        }
    }
    const ThreadClock& clock = thread_of(block, thread);
    const bool in_block = before.block == block.block;
    if (in_block && clock.learnt != nullptr && (*clock.learnt)[before.thread] > before.clock) {
        return true;
    }
    return (!clock.acquired.empty() && is_released(before, clock.acquired, in_block)) ||
           (!block.acquired.empty() && is_released(before, block.acquired, in_block)) ||
           (in_block && !clock.acquired_in_block.empty() &&
            is_released(before, clock.acquired_in_block, true)) ||
           (clock.has_acquired_blocks && is_released(before, block.heard, in_block));
}

std::uint32_t HappensBefore::unordered_lanes(const Stamp& before, std::uint32_t lanes,
                                             const BlockClock& block, int thread) const {
    if (before.block == block.block && before.interval < block.interval) return 0;
    Stamp each = before;
    const unsigned first = before.thread / 32u * 32u;
    std::uint32_t left = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        each.thread = first + static_cast<unsigned>(__builtin_ctz(rest));
        if (!is_ordered(each, block, thread)) left |= rest & -rest;
    }
    return left;
}

bool HappensBefore::has_seen(const Stamp& before, std::uintptr_t word, const BlockClock& block,
                             int thread) const {
    if (!before.is_atomic) return false;
    const ThreadClock& clock = thread_of(block, thread);
    for (const Seen* seen : {&clock.heard, &clock.acquired, &block.heard, &block.acquired}) {
        // The word may be the second of a variable of 8 bytes.
        for (const std::uintptr_t address : {word, word - 4}) {
            if (seen->last(address) >= before.operation) return true;
        }
    }
    return false;
}

void HappensBefore::tell(Seen& host, std::uintptr_t variable, std::uint32_t operation) const {
    const auto known = variables_.find(variable);
    if (known != variables_.end() && has_system_fence_) merge(host, known->second.known);
    host.raise(variable, operation);
}

Lack HappensBefore::lacks_fence(const Stamp& before, bool stores, const BlockClock& block,
                                int thread) const {
    const ThreadClock& clock = thread_of(block, thread);
    for (const Seen* seen : {&clock.acquired, &clock.acquired_in_block, &block.acquired}) {
        if (is_released(before, *seen, true)) return Lack::wider_fence;
    }
    if (is_released(before, clock.heard) || is_released(before, block.heard)) {
        return Lack::fence_after_acquire;
    }
    // For loads, a stamp represents several threads: their operations are not known.
    std::uint32_t done = stores && before.is_atomic == 0 ? before.operation : 0;
    const auto is_between = [&](const Seen& seen) {
        return any_release(before, seen, [&](const Release& release) {
            if (before.interval < release.interval) return true;
            if (before.interval > release.interval) return false;
            // Or ordered by a __syncwarp() of the two.
            return (release.thread == before.thread && release.of_thread > done) ||
                   (before.block == block.block && release.thread / 32 == before.thread / 32 &&
                    seen_lanes(block, release.thread)[before.thread % 32u] > before.clock);
        });
    };
    if (is_between(clock.acquired) || is_between(block.acquired)) return Lack::fence_before_release;
    if (is_between(clock.heard) || is_between(block.heard)) {
        const bool has_fence = clock.has_acquired_blocks || is_between(clock.acquired_in_block);
        return has_fence ? Lack::fence_before_release : Lack::both_fences;
    }
    done = 0;
    for (const Seen* seen : {&clock.acquired, &block.acquired, &clock.heard, &block.heard}) {
        if (is_between(*seen)) return Lack::operation_after;
    }
    return Lack::no_fence;
}

}  // namespace lab
