// Each access of a thread: in which memory it lies, and what the rules say of it.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "faults.hpp"
#include "fiber.hpp"
#include "poison.hpp"
#include "program.hpp"
#include "race_detector.hpp"
#include "spaces.hpp"

namespace lab {
namespace {

constexpr std::uintptr_t kNull = 65536;  ///< addresses below are a null pointer with an index

}  // namespace

/// The next accesses of this place to the array may be quick ones.
void RaceDetector::keep_array(const Access& access, std::uintptr_t begin, std::size_t bytes,
                              Cell* cells, const Stamp& now, std::uint32_t serial) {
    if (!site(access.site).is_plain || begin % kWordBytes != 0) return;
    known_arrays_[access.site % kKnownArrays] = {
        access.site, serial, begin, bytes - access.bytes + 1, cells, &now};
}

void RaceDetector::access(const emulator::Worker& worker, SiteId id, std::uintptr_t address,
                          std::uint32_t bytes, Kind kind) {
    if (worker.thread != run_.current) switch_to(worker);
    const AccessSite& at = site(id);
    run_.last_pc = reinterpret_cast<const void*>(at.pc);
    const bool is_store = kind == Kind::write || kind == Kind::write_some || kind == Kind::atomic;
    if (is_store) settle();
    if (run_.block == nullptr || run_.thread->kernels == 0) return;
    const bool is_volatile = at.traits.is_volatile;
    const bool is_atomic = kind == Kind::atomic || at.traits.is_atomic;
    Access made{address, bytes, id, is_store, is_atomic || is_volatile, is_volatile};
    if (run_.block->arena == 0 && !run_.block->block->regions.empty()) {
        const emulator::SharedRegion& first = run_.block->block->regions.front();
        run_.block->arena =
            reinterpret_cast<std::uintptr_t>(run_.block->block->address(first)) - first.offset;
        run_.block->clock.shared = run_.block->arena;
        run_.block->clock.shared_bytes = kArenaBytes;
    }
    const bool is_struct = kind == Kind::read_some || kind == Kind::write_some;
    const std::uint32_t stated = is_struct ? at.traits.alignment : bytes;
    const std::uint32_t alignment =
        stated == kAlignmentOfBytes ? 1 : std::min<std::uint32_t>(stated, 16);
    const bool is_aligned = alignment <= 1 || (address & (alignment - 1)) == 0 || address < kNull;
    if (run_.is_shared(address)) {
        made.site = run_.users_site(id);
        const std::size_t offset = address - run_.block->arena;
        unused_shared_.access(offset);
        const emulator::SharedRegion* const region = run_.find_region(offset, bytes);
        if (region == nullptr) {
            bounds_.report(made, target(run_, address, bytes));
            return;
        }
        if (!is_aligned) misaligned_.report(made, alignment, emulator_reports_);
        if (is_tracing()) trace_access(made, Space::shared);
        // A volatile variable is a flag between blocks at best; among threads of a block it orders
        // nothing that a barrier would not.
        made.is_atomic = is_atomic;
        made.is_volatile = false;
        if (!is_store && run_.block->block->dynamic_arrays.size() > 1 &&
            offset < run_.launched.dynamic_bytes) {
            overlapping_arrays_.check(made, (*run_.block->shared)[offset / kWordBytes]);
        }
        check(made, *run_.block->shared, offset, run_.block->serial, run_.block->serial);
        if (region->variable != nullptr) {
            keep_array(made, run_.block->arena + region->offset, region->bytes,
                       &(*run_.block->shared)[region->offset / kWordBytes], now_in_shared_,
                       run_.block->serial);
        }
        if (is_store) stored_ = made;
        return;
    }
    if (worker.fiber->holds(address)) {  // a local variable
        if (!is_aligned) misaligned_.report(made, alignment, emulator_reports_);
        if (!is_store) unset_variable_.check_load(made);
        return;
    }
    if (is_store && is_program_image(address) && is_constant(address)) {
        made.site = run_.users_site(id);
        constant_store_.report(made);
        return;
    }
    if (Watched* const found = run_.watched_at(address)) {
        made.site = run_.users_site(id);
        if (address < found->begin || address + bytes > found->begin + found->bytes) {
            bounds_.report(made, target(run_, address, bytes));
            return;
        }
        if (!is_aligned) misaligned_.report(made, alignment, emulator_reports_);
        if (found->kind == emulator::MemoryKind::heap) heap_.check(made, *found, bounds_);
        if (is_tracing()) trace_access(made, Space::global);
        if (found->cells != nullptr) {
            const bool has_poison = found->kind == emulator::MemoryKind::managed ||
                                    found->kind == emulator::MemoryKind::pinned;
            check(made, *found->cells, address - found->begin, run_.epoch(),
                  !found->holds_values ? 0
                  : has_poison         ? kHoldsPoison
                                       : kHoldsValues);
            // A pointer that is loaded is looked at.
            if (found->kind == emulator::MemoryKind::device &&
                (is_store || bytes != sizeof(std::uintptr_t))) {
                keep_array(made, found->begin, found->bytes, &(*found->cells)[0], now_elsewhere_,
                           0);
            }
        }
        if (is_store) {
            stored_ = made;
        } else if (bytes == sizeof(std::uintptr_t)) {
            escaped_address_.check_load(made);
            if (!host_function_.objects.is_empty()) host_function_.check_load(made, *found);
        }
        return;
    }
    if (is_program_data(address)) {
        if (!is_aligned) misaligned_.report(made, alignment, emulator_reports_);
        const std::uintptr_t begin = data_begin();
        const std::size_t size = data_end() - begin;
        if (run_.variables == nullptr)
            run_.variables = std::make_unique<Cells>(size / kWordBytes + 2);
        made.site = run_.users_site(id);
        if (site(made.site).in_header) return;  // the emulator's own
        check(made, *run_.variables, address - begin, run_.epoch(), kHoldsValues);
        return;
    }
    if (is_program_image(address) || is_near_builtin(address)) return;
    if (address < kNull) return;  // a signal follows; without signals emulator::check_null()
    if (site(id).in_header) made.site = run_.users_site(id);
    host_pointer_.report(made, bounds_);
}

namespace {

/// Where the stamp of a load goes, of the two of its word.
enum class QuickPlace {
    joins,       ///< into the newer one, of its warp
    overwrites,  ///< the newer one
    shifts,      ///< the newer one, which replaces the older one
    closely,     ///< WordUsers knows
};

/// What WordUsers::add() would do, for nearly all loads.
inline __attribute__((always_inline)) QuickPlace quick_place(const Users (&read)[2],
                                                             const Stamp& now, unsigned mask,
                                                             bool has_streams) {
    const Users &last = read[0], &older = read[1];
    if (last.epoch != now.epoch) return has_streams ? QuickPlace::closely : QuickPlace::overwrites;
    if (last.is_atomic != 0 || last.bytes != (mask & 0xfu)) return QuickPlace::closely;
    if (last.block == now.block) {
        if (last.interval < now.interval) return QuickPlace::overwrites;
        if (last.thread / 32u == now.thread / 32u) {
            return last.clock == now.clock ? QuickPlace::joins : QuickPlace::closely;
        }
    }
    if (older.epoch != now.epoch) return has_streams ? QuickPlace::closely : QuickPlace::shifts;
    if ((older.bytes & ~mask & 0xfu) != 0) return QuickPlace::closely;
    if (last.block != now.block || older.block == now.block) return QuickPlace::shifts;
    return older.is_atomic == 0 && older.bytes == last.bytes ? QuickPlace::overwrites
                                                             : QuickPlace::closely;
}

}  // namespace

/// Whether it is one of the many of which nothing is to be said: what it loads has been written,
/// and all that it may race with is of other bytes, the thread's own, before a barrier of the
/// block, or of an earlier launch.
inline __attribute__((always_inline)) bool RaceDetector::is_usual(const Usual& access,
                                                                  const Cell& cell) const {
    const Stamp& now = *access.now;
    const auto is_apart = [&](const Stamp& stamp, bool is_own) __attribute__((always_inline)) {
        if ((stamp.bytes & access.mask) == 0) return true;
        if (stamp.epoch != now.epoch) return !run_.streams.has_streams();
        return stamp.block == now.block && (is_own || stamp.interval < now.interval);
    };
    const auto is_read_apart = [&](const Users& read) __attribute__((always_inline)) {
        return is_apart(read, read.thread == now.thread && read.lanes == 1u << now.thread % 32u);
    };
    if (!is_apart(cell.write, cell.write.thread == now.thread)) return false;
    if (cell.is_awaited) return false;
    if (cell.more != nullptr && (cell.more->epoch == now.epoch || run_.streams.has_streams())) {
        return false;
    }
    if (access.is_store) {
        const bool is_covered =
            cell.write.epoch != now.epoch || (cell.write.bytes & ~access.mask & 0xfu) == 0;
        return is_covered && !has_read_only_loads_ && is_read_apart(cell.read[0]) &&
               is_read_apart(cell.read[1]);
    }
    if (quick_place(cell.read, now, access.mask, run_.streams.has_streams()) ==
        QuickPlace::closely) {
        return false;
    }
    const std::uint32_t serial = access.serial;
    if (serial == kHoldsValues) return true;
    return (serial == 0 || serial == kHoldsPoison || cell.serial == serial) &&
           (cell.written & access.mask) == access.mask;
}

/// What such an access leaves behind.
inline __attribute__((always_inline)) void RaceDetector::note_usual(const Usual& access,
                                                                    Cell& cell) {
    const Stamp& now = *access.now;
    if (!access.is_store) {
        const QuickPlace place = quick_place(cell.read, now, access.mask, false);
        if (place == QuickPlace::joins) {
            cell.read[0].join(now.thread, access.site);
            return;
        }
        if (place == QuickPlace::shifts) cell.read[1] = cell.read[0];
        cell.read[0].earlier_site = kNoSite;
        cell.read[0].lanes = 1u << now.thread % 32u;
    }
    Stamp& left = access.is_store ? cell.write : cell.read[0];
    // Not put together first: what is written in parts cannot be read as a whole for some time.
    left = now;
    left.site = access.site;
    left.user = Stamp::plain_user(now.thread, access.mask);
    if (access.is_store) Uninitialised::note_written(cell, access.mask, access.serial);
}

/// The same for all words of an access, which is then done with; false: for at least one it is not.
inline __attribute__((always_inline)) bool RaceDetector::are_usual(const Usual& access, Cell* cells,
                                                                   std::size_t words) const {
    for (std::size_t i = 0; i < words; ++i) {
        if (!is_usual(access, cells[i])) return false;
    }
    for (std::size_t i = 0; i < words; ++i) note_usual(access, cells[i]);
    return true;
}

void RaceDetector::renew_now() {
    if (run_.block == nullptr) return;
    const BlockClock& clock = run_.block->clock;
    Stamp now;
    now.epoch = run_.epoch();
    now.block = clock.block;
    now.interval = clock.interval;
    now.clock = clock.threads[static_cast<std::size_t>(run_.number)].clock;
    now.user = Stamp::plain_user(static_cast<unsigned>(run_.number), 0);
    now_elsewhere_ = now_in_shared_ = now;
    now_in_shared_.epoch = run_.block->serial;
}

/// The bytes of a word that an access uses, or of each word; `bytes` is not 0.
static unsigned mask_in_words(std::size_t offset, std::uint32_t bytes) {
    return bytes >= kWordBytes ? 0xfu : ((1u << bytes) - 1u) << offset % kWordBytes;
}

template <bool is_store>
bool RaceDetector::access_quickly(const emulator::Worker& worker, const void* pc,
                                  std::uintptr_t address, std::uint32_t bytes) {
    const SiteId id = known_site_id(pc);
    const KnownArray& known = known_arrays_[id % kKnownArrays];
    const std::size_t offset = address - known.begin;
    if (worker.thread != in_kernel_ || known.site != id || id == kNoSite ||
        offset >= known.offsets || (address & (bytes - 1)) != 0) {
        return false;
    }
    if (is_store) settle();
    const Usual access{known.now, id, is_store, mask_in_words(offset, bytes), known.serial};
    Cell* const cells = known.cells + offset / kWordBytes;
    if (bytes <= kWordBytes) {
        if (!is_usual(access, *cells)) return false;
        note_usual(access, *cells);
    } else if (!are_usual(access, cells, bytes / kWordBytes)) {
        return false;
    }
    run_.last_pc = pc;
    if (is_store) stored_ = {address, bytes, id, true, false, false};
    return true;
}

template bool RaceDetector::access_quickly<false>(const emulator::Worker&, const void*,
                                                  std::uintptr_t, std::uint32_t);
template bool RaceDetector::access_quickly<true>(const emulator::Worker&, const void*,
                                                 std::uintptr_t, std::uint32_t);

void RaceDetector::check(const Access& access, Cells& cells, std::size_t offset,
                         std::uint32_t epoch, std::uint32_t serial) {
    const bool is_plain = !access.is_atomic && !site(access.site).is_read_only_load;
    const bool is_in_words = offset % kWordBytes + access.bytes <= kWordBytes ||
                             (offset | access.bytes) % kWordBytes == 0;
    const Stamp& now = epoch == run_.epoch() ? now_elsewhere_ : now_in_shared_;
    const Usual usual{&now, access.site, access.is_store, mask_in_words(offset, access.bytes),
                      serial};
    const std::size_t words = (access.bytes + kWordBytes - 1) / kWordBytes;
    if (is_plain && is_in_words && are_usual(usual, &cells[offset / kWordBytes], words)) return;
    check_closely(access, cells, offset, epoch, serial);
}

void RaceDetector::check_closely(const Access& access, Cells& cells, std::size_t offset,
                                 std::uint32_t epoch, std::uint32_t serial) {
    Stamp now;
    now.epoch = epoch;
    now.block = run_.block->clock.block;
    now.interval = run_.block->clock.interval;
    now.clock = run_.block->clock.threads[static_cast<std::size_t>(run_.number)].clock;
    now.site = access.site;
    now.thread = static_cast<std::uint16_t>(run_.number) & 0x7ffu;
    now.is_atomic = access.is_atomic;
    if (access.is_atomic) emulator_reports_.may_wait(access);
    if (access.is_atomic)
        now.operation = run_.order.atomic(run_.block->clock, run_.number, access.address);
    const std::size_t first = offset / kWordBytes;
    const std::size_t last = (offset + access.bytes - 1) / kWordBytes;
    if (!access.is_store || site(access.site).kind == Kind::atomic) {
        uninitialised_.check(access, cells, offset, serial);
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
        check_word(access, address, cells, cell, now);
        if (access.is_store) Uninitialised::note_written(cell, mask, serial);
    }
}

void RaceDetector::check_word(const Access& access, std::uintptr_t word, Cells& cells, Cell& cell,
                              const Stamp& now) {
    const BlockClock& clock = run_.block->clock;
    if (cell.is_awaited) {
        const AsyncCopy* const copy =
            run_.block->copies.find((word - run_.block->arena) / kWordBytes);
        if (copy != nullptr && (copy->site != access.site || !access.is_store)) {
            awaited_copy_.report(access, *copy);
            return;
        }
    }
    // Which of the lanes that did this race with the access.
    const auto racing = [&](const Stamp& stamp, std::uint32_t lanes, bool stores) {
        if ((stamp.bytes & now.bytes) == 0) return 0u;
        if (stamp.epoch != now.epoch) {
            if (run_.streams.has_streams() && run_.streams.is_pending_use(stamp.epoch)) {
                stream_race_.report(access, stamp, stores);
            }
            return 0u;
        }
        bool may_be_seen = true;
        if (stamp.is_atomic && now.is_atomic) {
            const Traits& other = site(stamp.site).traits;
            const bool is_narrow =
                stamp.block != now.block &&
                (other.is_block_scope || site(access.site).traits.is_block_scope);
            // Two threads that change a volatile variable: what one of them wrote is lost.
            const bool are_changes =
                other.is_volatile && access.is_volatile && stores && access.is_store;
            if (!is_narrow && !are_changes) return 0u;
            may_be_seen = false;
        }
        if (may_be_seen && run_.order.has_seen(stamp, word, clock, run_.number)) return 0u;
        return run_.order.unordered_lanes(stamp, lanes, clock, run_.number);
    };
    const auto look = [&](const Users& users, bool stores) {
        const std::uint32_t lanes = racing(users, users.lanes, stores);
        if (lanes != 0) data_race_.report(access, cell, users.of_lanes(lanes), stores);
    };
    const bool is_read_only = !access.is_store && site(access.site).is_read_only_load;
    has_read_only_loads_ = has_read_only_loads_ || is_read_only;
    if (is_read_only && cell.write.epoch == now.epoch && (cell.write.bytes & now.bytes) != 0) {
        read_only_load_.report(access, cell.write.site);
    }
    // An atomic operation does not hide what was written before it: others, which may race with
    // that but not with the operation, are still to come.
    cell.each_write([&](const Stamp& write) {
        if (racing(write, 1u << write.thread % 32u, true) != 0) {
            data_race_.report(access, cell, write, true);
        }
    });
    cell.each_atomic([&](const Users& atomic) { look(atomic, true); });
    if (!access.is_store) {
        keep(cells, cell, now, true);
        return;
    }
    // The first to be met is shown: rather one that a barrier of the warp would not help.
    const auto is_own_warp = [&](const Users& users) {
        return users.block == now.block && users.thread / 32 == now.thread / 32;
    };
    for (const bool is_own : {false, true}) {
        cell.each_read([&](const Users& read) {
            if (is_own_warp(read) == is_own) look(read, false);
        });
    }
    cell.each_read([&](const Users& read) {
        if (read.epoch != now.epoch || (read.bytes & now.bytes) == 0) return;
        for (const SiteId at : {read.site, read.earlier_site}) {
            if (site(at).is_read_only_load) read_only_load_.report(access, at);
        }
    });
    if (access.is_atomic) {
        if (site(access.site).kind == Kind::atomic) data_race_.note_load_before(access, cell, now);
        keep(cells, cell, now, false);
    } else {
        cells.write(cell, now, [&](std::uint32_t epoch) { return run_.is_over(epoch); });
    }
}

/// Another load, or atomic operation, of the word.
void RaceDetector::keep(Cells& cells, Cell& cell, const Stamp& now, bool is_load) {
    cells.keep(cell, now, is_load, run_.order, run_.block->clock,
               [&](std::uint32_t epoch) { return run_.is_over(epoch); });
}

void RaceDetector::host_access(SiteId id, std::uintptr_t address, std::uint32_t bytes, Kind kind) {
    Watched* const found = run_.device.find(address, 0);
    const bool is_store = kind != Kind::read && kind != Kind::read_some;
    if (found == nullptr) {
        if (run_.device.is_freed(address)) device_pointer_.report_freed(id, address, is_store);
        return;
    }
    if (!found->holds_values) {
        device_pointer_.report(id, *found, is_store);
        return;
    }
    if (found->cells == nullptr) return;
    Finding made;
    if (!is_store && never_written_.mapped_access(id, *found, address, bytes, &made)) {
        report_never_written(std::move(made));
    }
    stream_race_.check_host(id, *found, address - found->begin, bytes, is_store);
}

/// Not if something has failed: a kernel that has not run has written nothing.
void RaceDetector::report_never_written(Finding made) {
    emulator_reports_.add();
    const std::vector<Finding>& all = findings_.all();
    if (std::any_of(all.begin(), all.end(),
                    [](const Finding& each) { return each.fault == Fault::backend; })) {
        return;
    }
    const SourcePlace place = made.parties.empty() ? SourcePlace{} : made.parties.front().at;
    findings_.add(FindingList::key_of(Fault::uninitialised, place), std::move(made));
}

void RaceDetector::brought_access(SiteId id, std::uintptr_t address, std::uint32_t bytes,
                                  Kind kind) {
    Finding made;
    if (never_written_.host_access(id, address, bytes, kind, &made)) {
        report_never_written(std::move(made));
    }
}

/// What was stored meanwhile.
void RaceDetector::settle() {
    if (trace_ != nullptr) trace_->settle();
    if (stored_.bytes != 0) {
        const Access access = stored_;
        stored_ = {};
        unset_variable_.check_store(access);
        escaped_address_.check_store(access);
    }
    data_race_.settle();
}

}  // namespace lab
