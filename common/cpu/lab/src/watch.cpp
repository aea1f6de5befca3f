#include "watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cpu/builtins.hpp"
#include "cpu/report.hpp"
#include "cpu/settings.hpp"
#include "fiber.hpp"
#include "lines.hpp"
#include "program.hpp"
#include "settings_internal.hpp"
#include "symbols.hpp"

namespace lab {

Watch* active_watch = nullptr;

namespace {

constexpr std::size_t kArenaBytes = 512 * 1024;
constexpr std::size_t kReach = 4096;  ///< how far from an array an access is still said to miss it

/// threadIdx and its like, which lie in this std::thread's own memory.
bool is_builtin(std::uintptr_t address) {
    constexpr std::uintptr_t kAround = 4096;
    const std::uintptr_t builtin = reinterpret_cast<std::uintptr_t>(&threadIdx);
    return address - builtin + kAround < 2 * kAround;
}

/// Two are kept, of different blocks if there were such, else of different threads: a store races
/// with at least one of them if it races with any.
void keep(Stamp (&kept)[2], const Stamp& now) {
    auto& [latest, other] = kept;
    if (latest.epoch != now.epoch) {
        other = {};
    } else if (latest.block != now.block) {
        other = latest;
    } else if (latest.thread != now.thread &&
               (other.epoch != now.epoch || other.block == now.block)) {
        other = latest;
    }
    latest = now;
}

}  // namespace

// ---- Launches, blocks, barriers
// ------------------------------------------------------------------

void Watch::launch_begins(const cpu::KernelSite&, const cpu::LaunchShape&) {
    device_.look();
    order_.begin();
    kernel_entry_.clear();
    ++epoch_;
    is_launch_traced_ = false;
    is_dynamic_used_ = is_shared_used_ = false;
    launched_ = {};
    seen_generation_ = 0;
    current_ = nullptr;
    for (std::unique_ptr<WatchedBlock>& left : blocks_) free_.push_back(std::move(left));
    blocks_.clear();
}

void Watch::launch_ends(cudaError_t result) {
    settle();
    current_ = nullptr;
    ++epoch_;
    if (result != cudaSuccess) {
        add_backend_report();
    } else if (launched_.dynamic_bytes != 0 && is_shared_used_ && !is_dynamic_used_) {
        // A kernel that has nothing to do uses none, and that is no mistake.
        report_unused();
    }
}

/// What the backend has found by itself, unless it is known already.
void Watch::add_backend_report() {
    const cpu::Report said = cpu::last_report();
    if (said.text.empty() || said.text == last_said_) return;
    last_said_ = said.text;
    const bool is_bounds = said.text.rfind("out of bounds", 0) == 0;
    const bool is_known = std::any_of(findings_.begin(), findings_.end(), [](const Finding& each) {
        return each.fault == Fault::out_of_bounds;
    });
    if (is_bounds && is_known) return;
    Finding made;
    made.fault = Fault::backend;
    made.kernel = said.kernel;
    made.file = file_name(said.file);
    made.line = said.line;
    made.text = said.text;
    findings_.push_back(std::move(made));
}

void Watch::block_begins(std::uint64_t index) {
    if (trace_ != nullptr && !is_launch_traced_) {
        const cpu::LaunchShape& shape = cpu::this_worker->launch->shape;
        trace_->launch(cpu::this_worker->launch->kernel_name(),
                       {shape.grid.x, shape.grid.y, shape.grid.z},
                       {shape.block.x, shape.block.y, shape.block.z});
        is_launch_traced_ = true;
    }
    if (free_.empty()) {
        free_.push_back(std::make_unique<WatchedBlock>());
        free_.back()->shared = std::make_unique<Cells>(kArenaBytes / kWordBytes);
    }
    blocks_.push_back(std::move(free_.back()));
    free_.pop_back();
    const cpu::Launch& launch = *cpu::this_worker->launch;
    if (launched_.name.empty()) {
        launched_ = {launch.kernel_name(), launch.shape.dynamic_bytes, launch.where.site};
    }
    WatchedBlock& made = *blocks_.back();
    made.block = &cpu::this_worker->newest_block();
    made.index = index;
    made.serial = ++serial_;
    made.grid_generation = cpu::this_worker->launch->grid_generation;
    made.arena = 0;
    made.threads.resize(made.block->threads.size());
    for (WatchedThread& thread : made.threads) {
        thread.calls.clear();
        thread.kernels = 0;
    }
    order_.start(made.clock, static_cast<std::uint32_t>(index), made.block->threads.size());
    current_ = nullptr;
}

void Watch::block_ends(std::uint64_t index) {
    settle();
    current_ = nullptr;
    const auto at = std::find_if(blocks_.begin(), blocks_.end(),
                                 [&](const auto& each) { return each->index == index; });
    if (at == blocks_.end()) return;
    free_.push_back(std::move(*at));
    blocks_.erase(at);
}

Watch::WatchedBlock* Watch::find(std::uint64_t index) {
    for (const auto& each : blocks_) {
        if (each->index == index) return each.get();
    }
    return nullptr;
}

void Watch::barrier_passed(std::uint64_t index, cpu::Site site) {
    const cpu::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = find(index);
    if (block == nullptr) return;
    if (trace_ != nullptr) trace_meeting("barrier", *block, 0, 0, site);
    order_.barrier(block->clock);
}

void Watch::warp_passed(std::uint64_t index, int warp, unsigned lanes, cpu::Site site) {
    const cpu::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = find(index);
    if (block == nullptr) return;
    const std::size_t first = static_cast<std::size_t>(warp * 32 + __builtin_ctz(lanes));
    const bool is_sync = block->block->threads[first].kind == cpu::Collective::syncwarp;
    if (trace_ != nullptr) {
        trace_meeting(is_sync ? "syncwarp" : "exchange", *block, warp, lanes, site);
    }
    if (is_sync) {
        order_.sync_warp(block->clock, warp, lanes);
    } else {
        order_.exchange(block->clock, warp, lanes);
    }
}

void Watch::memory_written(const void* to, std::size_t bytes) {
    device_.written(reinterpret_cast<std::uintptr_t>(to), bytes);
}

// ---- The running thread
// --------------------------------------------------------------------------

void Watch::switch_to(const cpu::Worker& worker) {
    settle();
    worker_ = &worker;
    current_ = worker.thread;
    number_ = worker.thread->number;
    block_ = find(worker.block->index);
    thread_ = block_ != nullptr ? &block_->threads[static_cast<std::size_t>(number_)] : nullptr;
    if (block_ == nullptr) return;
    const std::uint64_t generation = worker.launch->grid_generation;
    if (block_->grid_generation != generation) {
        // All blocks have passed a barrier of the grid.
        block_->grid_generation = generation;
        order_.barrier(block_->clock);
        if (seen_generation_ != generation) ++epoch_;
        seen_generation_ = generation;
    }
}

void Watch::enter(const cpu::Worker& worker, SiteId entry, std::uintptr_t caller) {
    if (worker.thread != current_) switch_to(worker);
    if (thread_ == nullptr) return;
    const auto [known, fresh] = kernel_entry_.try_emplace(entry, false);
    if (fresh) {
        const void* const kernel = *worker.launch->call.address;
        const void* const pc = reinterpret_cast<const void*>(site(entry).pc);
        known->second = kernel != nullptr && cpu::function_containing(pc) == kernel;
    }
    thread_->calls.push_back({caller, known->second});
    thread_->kernels += known->second;
}

void Watch::leave(const cpu::Worker& worker) {
    if (worker.thread != current_) switch_to(worker);
    if (thread_ == nullptr || thread_->calls.empty()) return;
    thread_->kernels -= thread_->calls.back().is_kernel;
    thread_->calls.pop_back();
}

void Watch::fence(const cpu::Worker& worker) {
    if (worker.thread != current_) switch_to(worker);
    if (block_ != nullptr) order_.fence(block_->clock, number_);
}

SiteId Watch::users_site(SiteId id) const {
    for (std::size_t i = thread_->calls.size(); i-- > 0 && site(id).in_header;) {
        id = site_id_from(id, thread_->calls[i].caller);
    }
    return id;
}

// ---- Accesses
// ------------------------------------------------------------------------------------

void Watch::access(const cpu::Worker& worker, SiteId id, std::uintptr_t address,
                   std::uint32_t bytes, Kind kind, bool is_atomic) {
    if (worker.thread != current_) switch_to(worker);
    const bool is_store = kind == Kind::write || kind == Kind::write_some || kind == Kind::atomic;
    if (is_store) settle();
    if (block_ == nullptr || thread_->kernels == 0) return;
    Access made{address, bytes, id, is_store, is_atomic};
    if (block_->arena == 0 && !block_->block->regions.empty()) {
        const cpu::SharedRegion& first = block_->block->regions.front();
        block_->arena =
            reinterpret_cast<std::uintptr_t>(block_->block->address(first)) - first.offset;
        block_->clock.shared = block_->arena;
        block_->clock.shared_bytes = kArenaBytes;
    }
    if (block_->arena != 0 && address - block_->arena < kArenaBytes) {
        made.site = users_site(id);
        const std::size_t offset = address - block_->arena;
        is_dynamic_used_ = is_dynamic_used_ || offset < launched_.dynamic_bytes;
        is_shared_used_ = true;
        const bool inside = std::any_of(
            block_->block->regions.begin(), block_->block->regions.end(),
            [&](const cpu::SharedRegion& region) {
                return offset >= region.offset && offset + bytes <= region.offset + region.bytes;
            });
        if (!inside) {
            report_bounds(made, target(address, bytes));
            return;
        }
        if (trace_ != nullptr) trace_access(made, Space::shared);
        // A volatile variable is a flag between blocks at best; among threads of a block it orders
        // nothing that a barrier would not.
        made.is_atomic = kind == Kind::atomic;
        check(made, *block_->shared, offset, block_->serial, block_->serial);
        return;
    }
    if (Watched* const found = device_.find(address, kReach)) {
        made.site = users_site(id);
        if (address < found->begin || address + bytes > found->begin + found->bytes) {
            report_bounds(made, target(address, bytes));
            return;
        }
        if (trace_ != nullptr) trace_access(made, Space::global);
        if (found->cells != nullptr) {
            check(made, *found->cells, address - found->begin, epoch_,
                  found->holds_values ? kHoldsValues : 0);
        }
        return;
    }
    const std::uintptr_t stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (address - stack < cpu::stack_bytes()) return;  // a local variable
    if (is_program_image(address) || is_builtin(address)) return;
    if (address < 65536) return;  // null: the backend meets it in a moment
    if (site(id).in_header) made.site = users_site(id);
    report_host_pointer(made);
}

void Watch::check(const Access& access, Cells& cells, std::size_t offset, std::uint32_t epoch,
                  std::uint32_t serial) {
    Stamp now;
    now.epoch = epoch;
    now.block = block_->clock.block;
    now.interval = block_->clock.interval;
    now.clock = block_->clock.threads[static_cast<std::size_t>(number_)].clock;
    now.site = access.site;
    now.thread = static_cast<std::uint16_t>(number_) & 0x7ffu;
    now.is_atomic = access.is_atomic;
    if (access.is_atomic) now.operation = order_.atomic(block_->clock, number_, access.address);
    const std::size_t first = offset / kWordBytes;
    const std::size_t last = (offset + access.bytes - 1) / kWordBytes;
    if (!access.is_store || site(access.site).kind == Kind::atomic) {
        check_written(access, cells, offset, serial);
    }
    for (std::size_t word = first; word <= last; ++word) {
        const std::size_t begin = std::max(offset, word * kWordBytes) - word * kWordBytes;
        const std::size_t end =
            std::min(offset + access.bytes, (word + 1) * kWordBytes) - word * kWordBytes;
        const std::uint8_t mask =
            static_cast<std::uint8_t>(((1u << end) - 1u) & ~((1u << begin) - 1u));
        Cell& cell = cells[word];
        const std::uintptr_t address = access.address - offset + word * kWordBytes;
        now.bytes = mask & 0xfu;
        check_word(access, address, cell, now);
        if (access.is_store) {
            if (serial != 0 && serial != kHoldsValues && cell.serial != serial) {
                cell.serial = serial;
                cell.written = 0;
            }
            cell.written |= mask;
        }
    }
}

void Watch::check_word(const Access& access, std::uintptr_t word, Cell& cell, const Stamp& now) {
    const BlockClock& clock = block_->clock;
    const auto meets = [&](const Stamp& stamp) {
        return stamp.epoch == now.epoch && (stamp.bytes & now.bytes) != 0 &&
               !(stamp.is_atomic && now.is_atomic) &&
               !(stamp.block == now.block && stamp.thread == now.thread) &&
               !order_.is_ordered(stamp, clock, number_) &&
               !order_.has_seen(stamp, word, clock, number_);
    };
    // An atomic operation does not hide what was written before it: others, which may race with
    // that but not with the operation, are still to come.
    if (meets(cell.write)) report_race(access, cell.write, true);
    for (const Stamp& atomic : cell.atomic) {
        if (meets(atomic)) report_race(access, atomic, true);
    }
    if (!access.is_store) {
        keep(cell.read, now);
        return;
    }
    for (const Stamp& read : cell.read) {
        if (meets(read)) report_race(access, read, false);
    }
    if (access.is_atomic) {
        keep(cell.atomic, now);
    } else {
        cell.write = now;
    }
}

void Watch::check_written(const Access& access, Cells& cells, std::size_t offset,
                          std::uint32_t serial) {
    if (serial == kHoldsValues) return;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < access.bytes; ++i) {
        const Cell& cell = cells[(offset + i) / kWordBytes];
        const bool is_known = serial == 0 || cell.serial == serial;
        missing += !is_known || (cell.written >> (offset + i) % kWordBytes & 1u) == 0;
    }
    // A struct may hold bytes that no member uses.
    const Kind kind = site(access.site).kind;
    const bool may_have_holes = kind == Kind::read_some || access.bytes > 8;
    if (missing == 0 || (may_have_holes && missing < access.bytes)) return;
    report_uninitialised(access);
}

void Watch::host_access(SiteId id, std::uintptr_t address, bool is_store) {
    const Watched* const found = device_.find(address, 0);
    if (found == nullptr || found->holds_values) return;
    report_device_pointer(id, *found, is_store);
}

/// What was stored meanwhile: two stores of the same value are no fault.
void Watch::settle() {
    if (trace_ != nullptr) trace_->settle();
    if (pending_.empty()) return;
    std::vector<Pending> settled;
    settled.swap(pending_);
    for (Pending& each : settled) {
        const void* const now = reinterpret_cast<const void*>(each.address);
        if (std::memcmp(now, each.before, each.bytes) != 0) {
            report(each.key, std::move(each.finding));
        }
    }
}

// ---- The trace
// -----------------------------------------------------------------------------------

void Watch::trace_access(const Access& access, Space space) {
    const Site& at = site(access.site);
    const Place place = user_place((at.caller != 0 ? at.caller : at.pc) - 1);
    const Target what = target(access.address, access.bytes);
    const Operation operation = at.kind == Kind::atomic ? Operation::atomic
                                : access.is_store       ? Operation::store
                                                        : Operation::load;
    trace_->access({block_->index, number_, block_->clock.interval - 1, file_name(place.file),
                    place.line, operation, space, what.name,
                    static_cast<std::int64_t>(what.offset / access.bytes), access.bytes,
                    access.address});
}

void Watch::trace_meeting(const char* what, const WatchedBlock& block, int warp, unsigned lanes,
                          cpu::Site at) {
    trace_->meet(what, block.index, warp, lanes, block.clock.interval - 1,
                 file_name(at.file != nullptr ? at.file : ""), at.line);
}

}  // namespace lab
