// Each access of a thread: in which memory it lies, and what the rules say of it.
#include <algorithm>
#include <cstring>

#include "cpu/builtins.hpp"
#include "fiber.hpp"
#include "program.hpp"
#include "settings_internal.hpp"
#include "watch.hpp"

namespace lab {
namespace {

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

}  // namespace lab
