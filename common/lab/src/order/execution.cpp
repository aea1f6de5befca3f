#include "execution.hpp"

#include <algorithm>
#include <iterator>

#include "lines.hpp"
#include "program.hpp"
#include "variables.hpp"

namespace lab {

void WatchedBlock::find_arena() {
    if (arena != 0 || block->regions.empty()) return;
    const emulator::SharedRegion& first = block->regions.front();
    arena = reinterpret_cast<std::uintptr_t>(block->address(first)) - first.offset;
    clock.shared = arena;
    clock.shared_bytes = kArenaBytes;
}

void Execution::begin_launch() {
    for (std::unique_ptr<WatchedBlock>& left : blocks) free_.push_back(std::move(left));
    blocks.clear();
}

WatchedBlock& Execution::begin_block(std::uint64_t index) {
    if (free_.empty()) {
        free_.push_back(std::make_unique<WatchedBlock>());
        free_.back()->shared = std::make_unique<Cells>(kArenaBytes / kWordBytes);
    }
    blocks.push_back(std::move(free_.back()));
    free_.pop_back();
    const emulator::Launch& launch = *emulator::this_worker->launch;
    if (launched.name.empty()) {
        launched = {launch.kernel_name(), launch.shape.dynamic_bytes, launch.where.site};
    }
    WatchedBlock& made = *blocks.back();
    made.block = &emulator::this_worker->newest_block();
    made.index = index;
    made.serial = ++serial_;
    made.grid_generation = launch.grid_generation;
    made.copies.each([&](const AsyncCopy& left) { land(made, left); });
    made.copies.clear();
    made.arena = 0;
    made.barrier = {};
    made.threads.resize(made.block->threads.size());
    for (WatchedThread& each : made.threads) {
        each.calls.clear();
        each.arrays.clear();
        each.kernels = 0;
    }
    order.start(made.clock, static_cast<std::uint32_t>(index), made.block->threads.size());
    return made;
}

void Execution::end_block(std::uint64_t index) {
    const auto at = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const auto& each) { return each->index == index; });
    if (at == blocks.end()) return;
    free_.push_back(std::move(*at));
    blocks.erase(at);
}

WatchedBlock* Execution::find(std::uint64_t index) {
    for (const auto& each : blocks) {
        if (each->index == index) return each.get();
    }
    return nullptr;
}

void Execution::begin_copy(std::uint64_t index, int thread, const void* to, std::size_t bytes,
                           const void* barrier) {
    WatchedBlock* const block = find(index);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(to);
    if (block == nullptr || block->arena == 0 || address - block->arena >= kArenaBytes) return;
    const std::size_t first = (address - block->arena) / kWordBytes;
    const std::size_t last = (address - block->arena + bytes - 1) / kWordBytes;
    const SiteId at = (*block->shared)[first].write.site;  // it was written just now
    has_async_copies = true;
    block->copies.begin({first, last, thread, at, barrier, 0, {}, 0, block->clock.interval});
    for (std::size_t word = first; word <= last; ++word) (*block->shared)[word].is_awaited = true;
}

void Execution::wait_for_copies(std::uint64_t index, int thread, std::size_t prior,
                                emulator::Site site) {
    WatchedBlock* const block = find(index);
    if (block == nullptr || block->copies.empty()) return;
    block->copies.wait(thread, prior, site, [&](const AsyncCopy& each) { land(*block, each); });
}

/// To the others, what lands at a thread's wait looks as if the thread had written it there.
void Execution::land(WatchedBlock& block, const AsyncCopy& copy) {
    for (std::size_t word = copy.first; word <= copy.last; ++word) {
        Cell& cell = (*block.shared)[word];
        cell.is_awaited = false;
        if (copy.barrier != nullptr || cell.write.thread != (copy.thread & 0x7ff)) continue;
        cell.write.interval = block.clock.interval;
        cell.write.clock = block.clock.threads[static_cast<std::size_t>(copy.thread)].clock;
    }
}

std::uint32_t Execution::racing_lanes(const Access& access, std::uintptr_t word, const Stamp& now,
                                      const Stamp& other, std::uint32_t lanes,
                                      bool other_stores) const {
    if (other.is_atomic && now.is_atomic) {
        const Traits &theirs = site(other.site).traits, &mine = site(access.site).traits;
        const bool is_narrow =
            other.block != now.block && (theirs.is_block_scope || mine.is_block_scope);
        // Two threads that change a volatile variable: what one of them wrote is lost.
        const bool are_changes =
            theirs.is_volatile && access.is_volatile && other_stores && access.is_store;
        if (!is_narrow && !are_changes) return 0;
    } else if (order.has_seen(other, word, block->clock, number)) {
        return 0;
    }
    return order.unordered_lanes(other, lanes, block->clock, number);
}

const emulator::SharedRegion* Execution::find_region(std::size_t offset,
                                                     std::uint32_t bytes) const {
    for (const emulator::SharedRegion& region : block->block->regions) {
        if (offset >= region.offset && offset + bytes <= region.offset + region.bytes) {
            return &region;
        }
    }
    return nullptr;
}

const LocalArray* Execution::local_array_beside(std::uintptr_t address, std::uint32_t bytes) const {
    for (const LocalArray& each : thread->arrays) {
        if (address - (each.begin - kLocalZone) >= each.bytes + 2 * kLocalZone) continue;
        if (address - each.begin >= each.bytes || address + bytes > each.begin + each.bytes)
            return &each;
    }
    return nullptr;
}

Watched* Execution::watched_at(std::uintptr_t address) {
    constexpr std::size_t kReach = 4096;
    Watched* const found = device.find(address, kReach);
    if (found == nullptr || address - found->begin < found->bytes) return found;
    const bool is_other =
        is_program_data(address) ? variable_at(address) != nullptr : is_program_image(address);
    return is_other ? nullptr : found;
}

SiteId Execution::users_site_of_helper(SiteId id) {
    const std::vector<Call>& calls = thread->calls;
    std::size_t depth = calls.size();
    while (depth > 0 && site(id).in_header) id = site_id_from(id, calls[--depth].caller);
    if (depth < 2 || calls[depth - 1].is_kernel) return id;
    for (std::size_t i = depth; i-- > 1;) {
        if (calls[i - 1].is_kernel) return called(id, calls[i].caller);
    }
    return id;
}

SiteId Execution::called(SiteId id, std::uintptr_t kernel_call) {
    KnownCall& known = known_calls_[(id * std::uintptr_t{31} + (kernel_call >> 1)) % kKnownCalls];
    if (known.site != id || known.kernel_call != kernel_call) {
        known = {id, site_id_called(id, kernel_call), kernel_call};
    }
    return known.made;
}

}  // namespace lab
