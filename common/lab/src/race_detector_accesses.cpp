// Each access of a thread: which memory it is in, and what the rules say about it.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "program.hpp"
#include "race_detector.hpp"
#include "source_calls.hpp"
#include "spaces.hpp"
#include "variables.hpp"

namespace lab {
/// The next accesses of this place to the array may be quick ones.
void RaceDetector::keep_array(const Access& access, std::uintptr_t begin, std::size_t bytes,
                              Cell* cells, const Stamp& now, std::uint32_t serial) {
    if (!site(access.site).is_plain || begin % kWordBytes != 0) return;
    known_arrays_[access.site % kKnownArrays] = {
        access.site, serial, begin, bytes - access.bytes + 1, cells, &now};
}

void RaceDetector::access(const emulator::Worker& worker, SiteId id, std::uintptr_t address,
                          std::uint32_t bytes, Kind kind, std::uintptr_t frame) {
    if (worker.thread != run_.current) switch_to(worker);
    const AccessSite& at = site(id);
    run_.last_pc = reinterpret_cast<const void*>(at.pc);
    const bool is_store = kind == Kind::write || kind == Kind::write_some || kind == Kind::atomic;
    if (is_store) settle();
    if (run_.block == nullptr || run_.thread->kernels == 0) return;
    const bool is_volatile = at.traits.is_volatile;
    const bool is_atomic =
        (kind == Kind::atomic || at.traits.is_atomic) && !at.traits.is_thread_scope;
    const bool is_struct = kind == Kind::read_some || kind == Kind::write_some;
    const std::uint32_t stated = is_struct ? at.traits.alignment : bytes;
    const std::uint32_t alignment =
        stated == kAlignmentOfBytes ? 1 : std::min<std::uint32_t>(stated, 16);
    Access made{address, bytes, id, is_store, is_atomic || is_volatile, is_volatile, alignment};
    run_.block->find_arena();
    if (run_.is_shared(address)) {
        // In the memory of a block a volatile variable is a flag only if a loop waits for it: sums
        // without barriers were once written with volatile.
        made.is_volatile = is_volatile && is_polled(id);
        made.is_atomic = is_atomic || made.is_volatile;
        access_shared(made);
        return;
    }
    // Volatile data without any flag are ordered by what orders plain ones.
    if (is_volatile && !is_atomic && is_data(id)) made.is_atomic = made.is_volatile = false;
    if (worker.fiber->holds(address)) {  // a local variable
        misaligned_.check(made, emulator_reports_);
        if (address < frame) {
            made.site = run_.users_site(id);
            host_pointer_.report_ended(made);
        } else if (const LocalArray* const array = run_.local_array_beside(address, bytes)) {
            made.site = run_.users_site(id);
            if (!bounds_.has_index_in(place_of(made.site).line)) {
                bounds_.report(made, target(*array, address, bytes));
            }
        } else if (!is_store) {
            unset_variable_.check_load(made);
        }
    } else if (is_store && is_program_image(address) && is_constant(address)) {
        made.site = run_.users_site(id);
        constant_store_.report(made);
    } else if (Watched* const found = run_.watched_at(address)) {
        access_device(made, *found);
    } else if (is_program_data(address)) {
        access_variable(made);
    } else if (!is_program_image(address) && !is_near_builtin(address) && address >= kNull) {
        // Below kNull a signal follows; without signals emulator::check_address() reports it.
        if (at.in_header) made.site = run_.users_site(id);
        host_pointer_.report(made, bounds_, emulator_reports_);
    }
}

/// What the source says about the line of an access: each line is asked once.
static bool ask_once(std::map<SiteId, bool>& known, SiteId id,
                     bool (*says)(const std::string& file, int line)) {
    const auto [at, fresh] = known.try_emplace(id, false);
    if (fresh) {
        const Place place = user_place(site(id).pc - 1);
        at->second = place.is_known() && says(place.file, place.line);
    }
    return at->second;
}

bool RaceDetector::is_polled(SiteId id) { return ask_once(polled_, id, names_polled); }

bool RaceDetector::is_data(SiteId id) { return ask_once(data_, id, are_volatiles_data); }

void RaceDetector::access_shared(Access& access) {
    WatchedBlock& block = *run_.block;
    access.site = run_.users_site(access.site);
    const std::size_t offset = access.address - block.arena;
    unused_shared_.access(offset);
    const emulator::SharedRegion* const region = run_.find_region(offset, access.bytes);
    if (region == nullptr) {
        bounds_.report(access, target(run_, access.address, access.bytes));
        return;
    }
    misaligned_.check(access, emulator_reports_);
    if (is_tracing()) trace_access(access, Space::shared);
    overlapping_arrays_.check(access, offset);
    check(access, *block.shared, offset, block.serial, block.serial);
    if (region->variable != nullptr) {
        if (access.is_store && !access.is_atomic) earlier_round_.stored(access.site, *region);
        keep_array(access, block.arena + region->offset, region->bytes,
                   &(*block.shared)[region->offset / kWordBytes], now_in_shared_, block.serial);
    }
    if (access.is_store) stored_ = access;
}

void RaceDetector::access_device(Access& access, Watched& memory) {
    access.site = run_.users_site(access.site);
    if (!access.is_store && set_in_part_.may_hold(access.address))
        set_in_part_.check(access, bounds_);
    const std::size_t offset = access.address - memory.begin;
    if (offset >= memory.bytes || offset + access.bytes > memory.bytes) {
        // The index into an array of known extents says more.
        const bool is_told = memory.kind == emulator::MemoryKind::symbol &&
                             bounds_.has_index_in(place_of(access.site).line);
        if (!is_told) bounds_.report(access, target(run_, access.address, access.bytes));
        return;
    }
    misaligned_.check(access, emulator_reports_);
    if (memory.kind == emulator::MemoryKind::heap) heap_.check(access, memory, bounds_);
    if (memory.set_bytes != 0 && (!access.is_store || site(access.site).kind == Kind::atomic)) {
        bytes_set_.check(access, memory);
    }
    if (is_tracing()) trace_access(access, Space::global);
    const bool is_pointer = access.bytes == sizeof(std::uintptr_t);
    if (memory.cells != nullptr) {
        const bool has_poison = memory.kind == emulator::MemoryKind::managed ||
                                memory.kind == emulator::MemoryKind::pinned;
        check(access, *memory.cells, offset, run_.epoch(),
              !memory.holds_values                      ? 0
              : has_poison && !memory.has_unseen_writer ? kHoldsPoison
                                                        : kHoldsValues);
        // A loaded pointer is checked.
        if (memory.kind == emulator::MemoryKind::device && memory.set_bytes == 0 &&
            (access.is_store || !is_pointer)) {
            keep_array(access, memory.begin, memory.bytes, &(*memory.cells)[0], now_elsewhere_, 0);
        }
    }
    if (access.is_store) {
        stored_ = access;
    } else if (is_pointer) {
        escaped_address_.check_load(access, host_pointer_);
        host_function_.check_load(access, memory);
    }
}

/// A variable of the program: __device__ ones, and those of the emulator.
void RaceDetector::access_variable(Access& access) {
    access.site = run_.users_site(access.site);
    if (site(access.site).in_header) return;  // the emulator's own
    const Variable* const variable = variable_at(access.address);
    const Variable::Side side = variable != nullptr ? variable->side : Variable::Side::unknown;
    const bool is_across = variable != nullptr && side == Variable::Side::device &&
                           !variable->holds(access.address + access.bytes - 1);
    if (is_across || side == Variable::Side::zone || variable == nullptr) {
        const Variable* const meant = is_across ? variable : device_variable_beside(access.address);
        if (meant != nullptr) {
            if (!bounds_.has_index_in(place_of(access.site).line)) {
                bounds_.report(access, target(*meant, access.address, access.bytes));
            }
            return;
        }
    }
    if (side == Variable::Side::host) {
        host_pointer_.report(access, bounds_, emulator_reports_);
        return;
    }
    if (!access.is_store && variable != nullptr && is_constant(access.address)) {
        set_in_part_.check_never_set(access, *variable, bounds_);
    }
    misaligned_.check(access, emulator_reports_);
    if (run_.variables == nullptr) {
        run_.variables = std::make_unique<Cells>((data_end() - data_begin()) / kWordBytes + 2);
    }
    check(access, *run_.variables, access.address - data_begin(), run_.epoch(), kHoldsValues);
}

/// quick_place() for a load of bytes other than the last.
__attribute__((noinline)) RaceDetector::QuickPlace RaceDetector::quick_place_beside(
    const Users& last, const Stamp& now, unsigned mask) {
    if (last.block != now.block || last.interval != now.interval || last.clock != now.clock ||
        last.thread / 32u != now.thread / 32u) {
        return QuickPlace::closely;
    }
    if (last.reaches(now.thread, mask)) return QuickPlace::reaches;
    return last.width != 0 && last.is_own(now.thread, mask) ? QuickPlace::joins
                                                            : QuickPlace::closely;
}

/// Does what WordUsers::add() would do, for nearly every load.
inline __attribute__((always_inline)) RaceDetector::QuickPlace RaceDetector::quick_place(
    const Users (&read)[2], const Stamp& now, unsigned mask, bool has_streams) {
    const Users &last = read[0], &older = read[1];
    if (last.epoch != now.epoch) return has_streams ? QuickPlace::closely : QuickPlace::overwrites;
    if (last.is_atomic != 0) return QuickPlace::closely;
    if (last.bytes != (mask & 0xfu) || last.width != 0) return quick_place_beside(last, now, mask);
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

/// Whether it is one of the many that need no report: what it loads has been written, and
/// everything that it might race with used other bytes, or is the thread's own, or came before a
/// barrier of the block, or in an earlier launch.
inline __attribute__((always_inline)) bool RaceDetector::is_usual(const Usual& access,
                                                                  const Cell& cell,
                                                                  QuickPlace& place) const {
    const Stamp& now = *access.now;
    const auto is_apart = [&](const Stamp& stamp, auto is_own) __attribute__((always_inline)) {
        if ((stamp.bytes & access.mask) == 0) return true;
        if (stamp.epoch != now.epoch) return !run_.streams.has_streams();
        return stamp.block == now.block && (stamp.interval < now.interval || is_own());
    };
    const auto is_read_apart = [&](const Users& read) __attribute__((always_inline)) {
        return is_apart(read, [&] { return read.is_own(now.thread, access.mask); });
    };
    if (!is_apart(cell.write, [&] { return cell.write.thread == now.thread; })) return false;
    if (cell.is_awaited) return false;
    if (cell.has_more && (cell.more->epoch == now.epoch || run_.streams.has_streams())) {
        return false;
    }
    if (access.is_store) {
        const bool is_covered =
            cell.write.epoch != now.epoch || (cell.write.bytes & ~access.mask & 0xfu) == 0;
        return is_covered && !read_only_load_.has_seen_any && is_read_apart(cell.read[0]) &&
               is_read_apart(cell.read[1]);
    }
    place = quick_place(cell.read, now, access.mask, run_.streams.has_streams());
    if (place == QuickPlace::closely) return false;
    const std::uint32_t serial = access.serial;
    if (serial == kHoldsValues) return true;
    return (serial == 0 || serial == kHoldsPoison || cell.serial == serial) &&
           (cell.written & access.mask) == access.mask;
}

/// What such an access leaves behind.
inline __attribute__((always_inline)) void RaceDetector::note_usual(const Usual& access, Cell& cell,
                                                                    QuickPlace place) {
    const Stamp& now = *access.now;
    if (!access.is_store) {
        if (place == QuickPlace::joins) {
            cell.read[0].join(now.thread, access.site);
            return;
        }
        if (place == QuickPlace::reaches) {
            cell.read[0].reach(now.thread, access.site, access.mask);
            return;
        }
        if (place == QuickPlace::shifts) cell.read[1] = cell.read[0];
        cell.read[0].earlier_thread = cell.read[0].width = 0;
        cell.read[0].earlier_site = kNoSite;
        cell.read[0].lanes = 1u << now.thread % 32u;
    }
    Stamp& left = access.is_store ? cell.write : cell.read[0];
    // Not assembled first: reading a whole that was just written in parts would stall.
    left = now;
    left.site = access.site;
    left.user = Stamp::plain_user(now.thread, access.mask);
    if (access.is_store) Uninitialised::note_written(cell, access.mask, access.serial);
}

/// The same for all words of an access, which is then finished; false: for at least one word it is
/// not.
__attribute__((noinline)) bool RaceDetector::are_usual(const Usual& access, Cell* cells,
                                                       std::size_t words) const {
    QuickPlace place = QuickPlace::overwrites;
    for (std::size_t i = 0; i < words; ++i) {
        if (!is_usual(access, cells[i], place)) return false;
    }
    for (std::size_t i = 0; i < words; ++i) {
        if (words > 1 && !access.is_store) {
            place = quick_place(cells[i].read, *access.now, access.mask, false);
        }
        note_usual(access, cells[i], place);
    }
    return true;
}

void RaceDetector::renew_now() {
    if (run_.block == nullptr) return;
    const BlockClock& clock = run_.block->clock;
    const ThreadClock& thread = clock.threads[static_cast<std::size_t>(run_.number)];
    const auto renew = [&](Stamp& now, std::uint32_t epoch) {
        now.epoch = epoch;
        now.block = clock.block;
        now.interval = clock.interval;
        now.clock = thread.clock;
        now.operation = thread.operations;
        now.user = Stamp::plain_user(static_cast<unsigned>(run_.number), 0);
    };
    renew(now_elsewhere_, run_.epoch());
    renew(now_in_shared_, run_.block->serial);
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
        QuickPlace place = QuickPlace::overwrites;
        if (!is_usual(access, *cells, place)) return false;
        note_usual(access, *cells, place);
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
    const AccessSite& at = site(access.site);
    const bool is_plain = !access.is_atomic && at.kind != Kind::atomic && !at.is_read_only_load;
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
    const ThreadClock& thread = run_.block->clock.threads[static_cast<std::size_t>(run_.number)];
    now.clock = thread.clock;
    now.operation = thread.operations;
    now.site = access.site;
    now.thread = static_cast<std::uint16_t>(run_.number) & 0x7ffu;
    now.is_atomic = access.is_atomic;
    if (access.is_atomic) {
        emulator_reports_.may_wait(access);
        if (!run_.is_shared(access.address)) data_race_.note_wait(access);
        if (site(access.site).kind == Kind::atomic && !run_.is_shared(access.address))
            block_ticket_.check(access, now);
        now.operation = run_.order.atomic(run_.block->clock, run_.number, access.address);
        now_elsewhere_.operation = now_in_shared_.operation = thread.operations;
    }
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
    if (cell.is_awaited && awaited_copy_.check(access, word, cell)) return;
    // Shared memory is new for each block: nothing of an earlier one is still going on there.
    const bool is_in_streams = run_.streams.has_streams() && !run_.is_shared(access.address);
    // Those of the lanes that did this and that race with the access.
    const auto racing = [&](const Stamp& stamp, std::uint32_t lanes, bool stores) {
        if ((stamp.bytes & now.bytes) == 0 || lanes == 0) return 0u;
        if (stamp.epoch == now.epoch)
            return run_.racing_lanes(access, word, now, stamp, lanes, stores);
        if (is_in_streams && run_.streams.is_pending_use(stamp.epoch)) {
            stream_race_.report(access, stamp, stores);
        }
        return 0u;
    };
    const auto look = [&](const Users& users, bool stores) {
        const std::uint32_t lanes = racing(users, users.lanes_of(now.bytes), stores);
        if (lanes != 0)
            data_race_.report(access, word, users.bytes & now.bytes, cell, users.of_lanes(lanes),
                              stores, awaited_copy_);
    };
    read_only_load_.check(access, cell, now);
    // An atomic operation does not hide what was written before it: later accesses may race with
    // that, but not with the operation.
    cell.each_write([&](const Stamp& write) {
        if (racing(write, 1u << write.thread % 32u, true) != 0) {
            data_race_.report(access, word, write.bytes & now.bytes, cell, write, true,
                              awaited_copy_);
        }
    });
    cell.each_atomic([&](const Users& atomic) { look(atomic, true); });
    if (access.is_store && !access.is_atomic && !run_.is_shared(access.address)) {
        // It comes after all tickets only in this order of the blocks.
        if (const Stamp* const ticket = block_ticket_.ticket_before(access, now))
            data_race_.report(access, word, now.bytes, cell, *ticket, true, awaited_copy_);
    }
    if (access.is_store) {
        // The first one found is shown, but preferably one that a barrier of the warp would not
        // fix.
        const auto is_own = [&](const Users& read) {
            return read.block == now.block && read.thread / 32 == now.thread / 32;
        };
        bool has_own = false;
        cell.each_read([&](const Users& read) {
            if (is_own(read)) {
                has_own = true;
            } else {
                look(read, false);
            }
        });
        if (has_own) {
            cell.each_read([&](const Users& read) {
                if (is_own(read)) look(read, false);
            });
        }
        read_only_load_.check_store(access, cell, now);
    }
    const auto is_over = [&](std::uint32_t epoch) {
        return !is_in_streams || !run_.streams.is_pending_use(epoch);
    };
    const bool is_operation = access.is_store && site(access.site).kind == Kind::atomic;
    if (access.is_store) lock_order_.check(access, is_operation);
    if (access.is_store && !access.is_atomic) {
        cells.write(cell, now, is_over);
        return;
    }
    if (access.is_atomic) data_race_.check_test(access, now);
    if (is_operation) {
        data_race_.note_load_before(access, cell, now);
        if (!site(access.site).traits.is_swap) data_race_.check_test_before(access, cell, now);
    }
    cells.keep(cell, now, !access.is_store, run_.order, run_.block->clock, is_over);
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
    if (is_store && emulator_reports_.host_stores(id, address, bytes)) return;
    stream_race_.check_host(id, *found, address - found->begin, bytes, is_store);
}

/// Not after a failure: a kernel that has not run has written nothing. Nor if a kernel has read
/// items of that memory before they were written: that is said already.
void RaceDetector::report_never_written(Finding made) {
    emulator_reports_.add();
    const std::vector<Finding>& all = findings_.all();
    const std::string memory = made.title.substr(made.title.rfind(" the allocation of ") + 1);
    if (std::any_of(all.begin(), all.end(), [&](const Finding& each) {
            return each.fault == Fault::backend ||
                   (each.fault == Fault::uninitialised && !each.kernel.empty() &&
                    each.parties.front().what.find(memory + ",") != std::string::npos);
        })) {
        return;
    }
    if (uninitialised_.pitches.is_told_of(made.title)) return;
    if (uninitialised_.pitches.explain(nullptr, made)) made.is_note = false;
    const SourcePlace place = made.parties.empty() ? SourcePlace{} : made.parties.front().at;
    findings_.add(FindingList::key_of(Fault::uninitialised, place), std::move(made));
}

void RaceDetector::brought_access(SiteId id, std::uintptr_t address, std::uint32_t bytes,
                                  Kind kind) {
    Finding made;
    if (never_written_.host_access(id, address, bytes, kind, &made)) {
        if (never_written_.unwritten() != 0)
            block_ticket_.explain_left(never_written_.unwritten(), made);
        report_never_written(std::move(made));
    }
}

/// What has been stored since.
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
