#include "race_detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "emulator/report.hpp"
#include "lines.hpp"
#include "places.hpp"
#include "source_blocks.hpp"
#include "spaces.hpp"
#include "symbols.hpp"

namespace lab {

RaceDetector* active_detector = nullptr;

// ---- Launches, blocks, barriers
// ------------------------------------------------------------------

void RaceDetector::launch_begins(const emulator::KernelSite& where,
                                 const emulator::LaunchShape& shape) {
    add_emulator_reports();  // of calls of the host before it
    device_.look();
    is_constant(0);  // reads the program's file now, and not on a small stack
    order_.begin();
    kernel_entry_.clear();
    known_entries_.fill({});
    const std::string name = where.kernel != nullptr ? where.kernel : "that was launched";
    streams_.new_epoch(streams_.begin(shape.stream, "kernel " + name, where.site));
    never_written_.launched(epoch(), shape);
    last_pc_ = nullptr;
    is_launch_traced_ = false;
    is_dynamic_used_ = is_shared_used_ = false;
    launched_ = {};
    seen_generation_ = 0;
    known_arrays_.fill({});
    stop_running();
    for (std::unique_ptr<WatchedBlock>& left : blocks_) free_.push_back(std::move(left));
    blocks_.clear();
}

void RaceDetector::launch_ends(cudaError_t result) {
    settle();
    if (trace_ != nullptr) trace_->flush();
    report_indexes();
    stop_running();
    streams_.new_epoch(0);
    if (result != cudaSuccess) {
        add_emulator_reports();
    } else if (launched_.dynamic_bytes != 0 && is_shared_used_ && !is_dynamic_used_) {
        // A kernel that has nothing to do uses none, and that is no mistake.
        report_unused();
    }
}

/// What the emulator has found by itself, in kernels and in calls of the host.
void RaceDetector::add_emulator_reports() {
    for (const emulator::Report& said : emulator::take_reports()) {
        if (said_.insert(said.text).second) add_emulator_report(said);
    }
}

void RaceDetector::add_emulator_report(const emulator::Report& said) {
    // An access that was reported may then do what the emulator sees.
    const bool is_bounds = said.reason == emulator::Reason::out_of_bounds;
    const bool is_address = said.reason == emulator::Reason::illegal_address;
    const std::vector<Finding>& all = findings_.all();
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
        return each.fault == Fault::out_of_bounds ||
               (is_address && (each.fault == Fault::host_pointer || each.fault == Fault::escaped));
    });
    if ((is_bounds || is_address) && is_known) return;
    Finding made;
    made.fault = Fault::backend;
    made.kernel = said.kernel;
    made.file = file_name(said.file);
    made.line = said.line;
    if (explain_endless_loop(said, made)) {
        made.advice += said.text;
    } else {
        made.code = emulator::code(said.reason);
        made.title = said.text;
    }
    findings_.add(std::move(made));
}

bool RaceDetector::explain_endless_loop(const emulator::Report& said, Finding& made) const {
    if (said.places.empty()) return false;
    // The last basic block is surer than where the thread was interrupted, perhaps in the lab.
    std::vector<std::uintptr_t> places{reinterpret_cast<std::uintptr_t>(last_pc_)};
    places.insert(places.end(), said.places.begin(), said.places.end());
    for (const std::uintptr_t place : places) {
        const Place here = place != 0 ? user_place(place - 1) : Place{};
        if (!here.is_known()) continue;
        // A loop around an atomic or volatile access waits for another thread.
        const Place asked = waited_.bytes != 0 ? place_of(waited_.site) : Place{};
        const bool is_waiting =
            asked.is_known() && waiting_ == number_ && asked.file == here.file &&
            (asked.line == here.line || is_in_loop(here.file, std::min(here.line, asked.line),
                                                   std::max(here.line, asked.line)));
        Party thread{is_waiting ? fmt::format("thread {}", number_) : "it",
                     is_waiting ? "waits for a change of what it reads" : "was still"};
        thread.at = source_place(is_waiting ? asked : here);
        made.code = is_waiting ? "endless_wait" : "endless_loop";
        made.title = (is_waiting ? "endless wait in " : "endless loop in ") + said.kernel;
        made.parties = {std::move(thread)};
        made.advice =
            is_waiting
                ? "\nWho is to change it has ended, waits itself, or has not begun: free a lock on "
                  "every path, and do not\nlet lanes of one warp wait for each other.\n"
                : "\nDoes the loop change what its condition asks for?\n";
        return true;
    }
    return false;
}

std::vector<Finding> RaceDetector::take(std::string* notice) {
    settle();
    report_indexes();
    add_emulator_reports();
    for (Finding& each : never_written_.take_notes()) report_never_written(std::move(each));
    said_.clear();
    if (notice != nullptr && device_.unwatched() != 0) {
        *notice =
            "Of the device memory 48 MB are watched for races and uninitialised reads; with a "
            "smaller --n all of it is.";
    }
    if (notice != nullptr && (is_trace_cut_ || (trace_ != nullptr && trace_->is_cut()))) {
        *notice += fmt::format(
            "{}The trace holds the first {} steps of threads; with fewer items it holds the whole "
            "run.",
            notice->empty() ? "" : "\n", Trace::kMaxSteps);
    }
    // What helps is known only now: later races of the same lines may cross warps.
    race_cures_.choose(findings_, paths_);
    paths_.clear();
    return findings_.take();
}

void RaceDetector::block_begins(std::uint64_t index) {
    if (trace_ != nullptr && !is_launch_traced_) {
        const emulator::LaunchShape& shape = emulator::this_worker->launch->shape;
        trace_->launch(emulator::this_worker->launch->kernel_name(),
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
    const emulator::Launch& launch = *emulator::this_worker->launch;
    if (launched_.name.empty()) {
        launched_ = {launch.kernel_name(), launch.shape.dynamic_bytes, launch.where.site};
    }
    WatchedBlock& made = *blocks_.back();
    made.block = &emulator::this_worker->newest_block();
    made.index = index;
    made.serial = ++serial_;
    known_arrays_.fill({});  // what is made here may have been another block's
    made.grid_generation = emulator::this_worker->launch->grid_generation;
    made.copies.each([&](const AsyncCopy& left) { land(made, left); });
    made.copies.clear();
    made.arena = 0;
    made.barrier = {};
    made.threads.resize(made.block->threads.size());
    for (WatchedThread& thread : made.threads) {
        thread.calls.clear();
        thread.kernels = 0;
    }
    order_.start(made.clock, static_cast<std::uint32_t>(index), made.block->threads.size());
    stop_running();
}

void RaceDetector::block_ends(std::uint64_t index) {
    settle();
    stop_running();
    const auto at = std::find_if(blocks_.begin(), blocks_.end(),
                                 [&](const auto& each) { return each->index == index; });
    if (at == blocks_.end()) return;
    free_.push_back(std::move(*at));
    blocks_.erase(at);
}

RaceDetector::WatchedBlock* RaceDetector::find(std::uint64_t index) {
    for (const auto& each : blocks_) {
        if (each->index == index) return each.get();
    }
    return nullptr;
}

void RaceDetector::barrier_passed(std::uint64_t index, emulator::Site site) {
    const emulator::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = find(index);
    if (block == nullptr) return;
    if (is_tracing()) trace_meeting("barrier", *block, 0, 0, site);
    order_.barrier(block->clock);
    renew_now();
    block->barrier = site;
}

void RaceDetector::warp_passed(std::uint64_t index, int warp, unsigned lanes, emulator::Site site) {
    const emulator::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = find(index);
    if (block == nullptr) return;
    const int first = warp * 32 + __builtin_ctz(lanes);
    const bool is_sync = block->block->threads[first].kind == emulator::Collective::syncwarp;
    if (is_tracing() && is_sync) trace_meeting("syncwarp", *block, warp, lanes, site);
    if (is_tracing() && !is_sync) trace_exchange(*block, warp, lanes, site);
    if (is_sync) {
        order_.sync_warp(block->clock, warp, lanes);
    } else {
        order_.exchange(block->clock, warp, lanes);
    }
    renew_now();
}

void RaceDetector::async_barrier_made(std::uint64_t index, const void* barrier) {
    const emulator::ToolIsBusy busy;
    if (WatchedBlock* const block = find(index)) order_.make_meeting(block->clock, barrier);
}

void RaceDetector::async_barrier_reached(std::uint64_t index, int thread, const void* barrier,
                                         bool completes) {
    const emulator::ToolIsBusy busy;
    settle();
    if (WatchedBlock* const block = find(index)) {
        order_.arrive(block->clock, thread, barrier, completes);
        if (completes) {
            block->copies.complete(barrier, [&](const AsyncCopy& each) { land(*block, each); });
        }
    }
    renew_now();
}

void RaceDetector::async_barrier_passed(std::uint64_t index, int thread, const void* barrier) {
    const emulator::ToolIsBusy busy;
    settle();
    if (WatchedBlock* const block = find(index)) order_.pass(block->clock, thread, barrier);
}

// ---- Asynchronous copies into shared memory ----------------------------------------------------

void RaceDetector::async_copy_begins(std::uint64_t index, int thread, const void* to,
                                     std::size_t bytes, const void* barrier) {
    const emulator::ToolIsBusy busy;
    WatchedBlock* const block = find(index);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(to);
    if (block == nullptr || block->arena == 0 || address - block->arena >= kArenaBytes) return;
    const std::size_t first = (address - block->arena) / kWordBytes;
    const std::size_t last = (address - block->arena + bytes - 1) / kWordBytes;
    const SiteId at = (*block->shared)[first].write.site;  // it was written just now
    has_async_copies_ = true;
    block->copies.begin({first, last, thread, at, barrier, 0, {}, 0});
    for (std::size_t word = first; word <= last; ++word) (*block->shared)[word].is_awaited = true;
}

void RaceDetector::async_copies_committed(std::uint64_t index, int thread) {
    const emulator::ToolIsBusy busy;
    if (WatchedBlock* const block = find(index)) block->copies.commit(thread);
}

void RaceDetector::async_copies_waited_for(std::uint64_t index, int thread, std::size_t prior,
                                           emulator::Site site) {
    const emulator::ToolIsBusy busy;
    WatchedBlock* const block = find(index);
    if (block == nullptr || block->copies.empty()) return;
    block->copies.wait(thread, prior, site, [&](const AsyncCopy& each) { land(*block, each); });
}

/// To the others, what lands at a thread's wait is as if the thread wrote it there.
void RaceDetector::land(WatchedBlock& block, const AsyncCopy& copy) {
    for (std::size_t word = copy.first; word <= copy.last; ++word) {
        Cell& cell = (*block.shared)[word];
        cell.is_awaited = false;
        if (copy.barrier != nullptr || cell.write.thread != (copy.thread & 0x7ff)) continue;
        cell.write.interval = block.clock.interval;
        cell.write.clock = block.clock.threads[static_cast<std::size_t>(copy.thread)].clock;
    }
}

// ---- Copies and streams
// ---------------------------------------------------------------------------

void RaceDetector::copied(const emulator::Copy& copy) {
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(copy.to);
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(copy.from);
    device_.written(to, copy.bytes);
    const std::uint32_t operation = streams_.begin(copy.stream, copy.call, copy.site);
    const std::uint32_t epoch = streams_.new_epoch(operation);
    if (copy.from != nullptr) {
        const bool is_of_symbol = std::strncmp(copy.call, "cudaMemcpyFromSymbol", 20) == 0;
        const auto is_device = [&](std::uintptr_t address) {
            const Watched* const found = device_.find(address, 0);
            return found != nullptr && !found->holds_values;
        };
        host_objects_.copied(to, from, copy.bytes, device_.find(to, 0) != nullptr && !is_of_symbol,
                             is_of_symbol || is_device(from), epoch);
    }
    Watched* const target = device_.find(to, 0);
    if (target != nullptr) note_copy(copy, *target);
    Watched* const source = copy.from != nullptr ? device_.find(from, 0) : nullptr;
    // Into pageable memory of the host, nothing is copied behind its back.
    const bool host_waits = !copy.is_async || target == nullptr;
    if (streams_.has_streams() || !host_waits) {
        const auto party = [&](const char* does) { return call(copy.call, does, copy.site); };
        check_in_stream(party("writes it"), target, to, copy.bytes, epoch, true);
        check_in_stream(party("reads it"), source, from, copy.bytes, epoch, false);
    }
    never_written_.copied(copy, source, target);
    if (host_waits) streams_.finish(operation);
    streams_.new_epoch(0);
}

void RaceDetector::renewed(const void* begin, std::size_t bytes) {
    settle();
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(begin);
    device_.renew(at, bytes);
    heap_memory_.erase(heap_memory_.lower_bound(at), heap_memory_.lower_bound(at + bytes));
    heap_memory_[at] = bytes;
    freed_heap_.erase(freed_heap_.lower_bound(at), freed_heap_.lower_bound(at + bytes));
}

/// To the others, giving memory back is as if it were written.
void RaceDetector::released(const void* begin, const void* instruction) {
    const auto taken = heap_memory_.find(reinterpret_cast<std::uintptr_t>(begin));
    if (taken == heap_memory_.end() || taken->second == 0) return;
    const auto [at, bytes] = *taken;
    Traits traits;
    traits.is_free = 1;
    const SiteId id = site_id(instruction, Kind::write_some, 0, traits);
    const emulator::Worker& worker = *emulator::this_worker;
    access(worker, id, at, static_cast<std::uint32_t>(bytes), Kind::write_some);
    stored_ = {};
    constexpr int kFreed = 0xdd;  // so that it is seen to change what others have written
    std::memset(reinterpret_cast<void*>(at), kFreed, bytes);
    heap_memory_.erase(taken);
    if (block_ == nullptr) return;
    freed_heap_[at] = {bytes, users_site(id),
                       fmt::format("{} of block {}", who(number_), block_->index)};
}

/// Memory is there for those who come behind the call in its stream.
void RaceDetector::memory_given(const emulator::StreamMemory& memory) {
    device_.look();
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.begin);
    const std::uint32_t epoch =
        streams_.new_epoch(streams_.begin(memory.stream, memory.call, memory.site));
    check_in_stream(call(memory.call, "allocates it", memory.site), device_.find(begin, 0), begin,
                    memory.bytes, epoch, true);
    streams_.new_epoch(0);
}

/// To all others, that is as if it were written.
void RaceDetector::memory_freed(const emulator::StreamMemory& memory) {
    device_.look();
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.begin);
    Watched* const found = device_.find(begin, 0);
    if (found == nullptr || found->cells == nullptr) return;
    if (!memory.is_of_host) {
        const std::uint32_t epoch =
            streams_.new_epoch(streams_.begin(memory.stream, memory.call, memory.site));
        check_in_stream(call(memory.call, "frees it", memory.site), found, begin, memory.bytes,
                        epoch, true);
        streams_.new_epoch(0);
        return;
    }
    Party mine = call(memory.call, "frees it", memory.site);
    mine.is_call = false;  // of the host, which does not wait
    for (std::size_t word = 0; word < memory.bytes / kWordBytes; ++word) {
        const auto look = [&](const Stamp& stamp, bool stores) {
            if (stamp.epoch == 0 || streams_.is_before_host(streams_.index_of_epoch(stamp.epoch))) {
                return;
            }
            report_host_side_race(mine, *found, true, stamp, stores);
        };
        Cell& cell = (*found->cells)[word];
        cell.each_write([&](const Stamp& each) { look(each, true); });
        cell.each_atomic([&](const Users& each) { look(each, true); });
        cell.each_read([&](const Users& each) { look(each, false); });
    }
}

/// Looks whether what a stream does waits for those who used the memory last, and notes the use.
void RaceDetector::check_in_stream(const Party& mine, Watched* memory, std::uintptr_t address,
                                   std::size_t bytes, std::uint32_t epoch, bool is_store) {
    if (memory == nullptr || memory->cells == nullptr) return;
    Stamp now;
    now.epoch = epoch;
    now.bytes = 0xf;
    const auto is_over = [&](std::uint32_t each) { return !streams_.is_pending_use(each); };
    const std::size_t offset = address - memory->begin;
    for (std::size_t word = offset / kWordBytes;
         word < (offset + bytes + kWordBytes - 1) / kWordBytes; ++word) {
        Cell& cell = (*memory->cells)[word];
        const auto look = [&](const Stamp& stamp, bool stores) {
            if (!streams_.is_pending_use(stamp.epoch)) return;
            report_host_side_race(mine, *memory, is_store, stamp, stores);
        };
        cell.each_write([&](const Stamp& each) { look(each, true); });
        cell.each_atomic([&](const Users& each) { look(each, true); });
        if (is_store) {
            cell.each_read([&](const Users& each) { look(each, false); });
            memory->cells->write(cell, now, is_over);
        } else {
            memory->cells->append(cell, now, is_over);
        }
    }
}

void RaceDetector::stream_call(emulator::StreamCall call, const void* stream, const void* event) {
    streams_.call(call, stream, event);
}

emulator::Site RaceDetector::place(std::uintptr_t instruction) {
    // Text that a report points to stays for the rest of the program.
    static auto* const files = new std::set<std::string>;
    Place found = user_place(instruction);
    if (!found.is_known() && last_pc_ != nullptr) {
        found = user_place(reinterpret_cast<std::uintptr_t>(last_pc_) - 1);
    }
    if (!found.is_known()) return {};
    return {files->insert(found.file).first->c_str(), found.line};
}

// ---- The running thread
// --------------------------------------------------------------------------

void RaceDetector::switch_to(const emulator::Worker& worker) {
    settle();
    if (!indexes_.empty()) report_indexes();
    worker_ = &worker;
    current_ = worker.thread;
    number_ = worker.thread->number;
    WatchedBlock* const block = find(worker.block->index);
    if (block != block_) known_arrays_.fill({});
    block_ = block;
    thread_ = block_ != nullptr ? &block_->threads[static_cast<std::size_t>(number_)] : nullptr;
    is_block_one_warp_ = block_ == nullptr || block_->threads.size() <= 32;
    look_whether_in_kernel();
    if (block_ == nullptr) return;
    const std::uint64_t generation = worker.launch->grid_generation;
    if (block_->grid_generation != generation) {
        // All blocks have passed a barrier of the grid.
        block_->grid_generation = generation;
        order_.barrier(block_->clock);
        if (seen_generation_ != generation) streams_.continue_epoch();
        seen_generation_ = generation;
    }
    renew_now();
}

void RaceDetector::enter(const emulator::Worker& worker, SiteId entry, std::uintptr_t caller) {
    if (worker.thread != current_) switch_to(worker);
    if (thread_ == nullptr) return;
    KnownEntry& last = known_entries_[entry % kKnownEntries];
    if (last.entry != entry) {
        const auto [known, fresh] = kernel_entry_.try_emplace(entry, false);
        if (fresh) {
            const void* const kernel = *worker.launch->call.address;
            const void* const pc = reinterpret_cast<const void*>(site(entry).pc);
            known->second = kernel != nullptr && emulator::function_containing(pc) == kernel;
        }
        last = {entry, known->second};
    }
    thread_->calls.push_back({caller, last.is_kernel});
    thread_->kernels += last.is_kernel;
    look_whether_in_kernel();
}

void RaceDetector::leave(const emulator::Worker& worker) {
    if (worker.thread != current_) switch_to(worker);
    if (thread_ == nullptr || thread_->calls.empty()) return;
    if (!indexes_.empty()) report_indexes();
    thread_->kernels -= thread_->calls.back().is_kernel;
    thread_->calls.pop_back();
    look_whether_in_kernel();
}

void RaceDetector::fence(const emulator::Worker& worker, bool is_block_scope) {
    if (worker.thread != current_) switch_to(worker);
    if (block_ != nullptr) order_.fence(block_->clock, number_, is_block_scope);
    renew_now();
}

void RaceDetector::block(const emulator::Worker& worker, const void* pc) {
    if (worker.thread != current_) switch_to(worker);
#if defined(__clang__)
    // Its check of an index ends a basic block: the next one holds the access.
    if (!index_is_new_ && !indexes_.empty()) report_indexes();
    index_is_new_ = false;
#else
    if (!indexes_.empty()) report_indexes();
#endif
    last_pc_ = pc;
    if (is_block_one_warp_ || paths_.knows(pc, number_ / 32)) return;
    paths_.pass(pc, number_ / 32);
}

void RaceDetector::index(const emulator::Worker& worker, emulator::Site where, const char* array,
                         std::int64_t value) {
    if (worker.thread != current_) switch_to(worker);
    if (block_ == nullptr || thread_->kernels == 0) return;
    constexpr std::size_t kMax = 16;
    if (indexes_.size() < kMax) indexes_.push_back({where, array, value, number_, who(number_)});
    index_is_new_ = true;
}

SiteId RaceDetector::users_site_of_helper(SiteId id) {
    const std::vector<Call>& calls = thread_->calls;
    std::size_t depth = calls.size();
    while (depth > 0 && site(id).in_header) id = site_id_from(id, calls[--depth].caller);
    if (depth < 2 || calls[depth - 1].is_kernel) return id;
    for (std::size_t i = depth; i-- > 1;) {
        if (calls[i - 1].is_kernel) return called(id, calls[i].caller);
    }
    return id;
}

SiteId RaceDetector::called(SiteId id, std::uintptr_t kernel_call) {
    KnownCall& known = known_calls_[(id * std::uintptr_t{31} + (kernel_call >> 1)) % kKnownCalls];
    if (known.site != id || known.kernel_call != kernel_call) {
        known = {id, site_id_called(id, kernel_call), kernel_call};
    }
    return known.made;
}

// ---- The trace
// -----------------------------------------------------------------------------------

void RaceDetector::trace_access(const Access& access, Space space) {
    const AccessSite& at = site(access.site);
    const Place place = user_place((at.caller != 0 ? at.caller : at.pc) - 1);
    const Target what = target(access.address, access.bytes);
    const Operation operation = at.kind == Kind::atomic ? Operation::atomic
                                : access.is_store       ? Operation::store
                                                        : Operation::load;
    trace_->access({block_->index, number_, block_->clock.interval - 1, file_name(place.file),
                    place.line, operation, space, what.name, what.bytes,
                    static_cast<std::int64_t>(what.offset / access.bytes), access.bytes,
                    access.address});
}

void RaceDetector::trace_meeting(const char* what, const WatchedBlock& block, int warp,
                                 unsigned lanes, emulator::Site at) {
    trace_->meet(what, block.index, warp, lanes, block.clock.interval - 1,
                 file_name(at.file != nullptr ? at.file : ""), at.line);
}

void RaceDetector::trace_exchange(const WatchedBlock& block, int warp, unsigned lanes,
                                  emulator::Site at) {
    const emulator::Thread* const threads =
        &block.block->threads[static_cast<std::size_t>(warp) * std::size_t{32}];
    std::vector<TracedLane> got;
    for (int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1u) != 0) got.push_back({threads[lane].source, threads[lane].value});
    }
    const bool is_shuffle = threads[__builtin_ctz(lanes)].kind == emulator::Collective::shuffle;
    trace_->exchange(is_shuffle ? "shuffle" : "vote", block.index, warp, lanes,
                     block.clock.interval - 1, file_name(at.file != nullptr ? at.file : ""),
                     at.line, got);
}

}  // namespace lab
