#include "race_detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "lines.hpp"
#include "places.hpp"
#include "program_end.hpp"
#include "source_words.hpp"
#include "spaces.hpp"
#include "variables.hpp"

namespace lab {

// ---- Launches, blocks, barriers -------------------------------------------------------------

void RaceDetector::launch_begins(const emulator::KernelSite& where,
                                 const emulator::LaunchShape& shape) {
    end_if_asked();
    emulator_reports_.add();  // of the host's calls before it
    ++launches_;
    run_.device.look();
    is_constant(0);  // reads the program's file now, not on a small stack
    look_up_variables();
    run_.order.begin();
    kernel_entry_.clear();
    known_entries_.fill({});
    const std::string name = where.kernel != nullptr ? where.kernel : "that was launched";
    const std::uint32_t operation = run_.streams.begin(shape.stream, "kernel " + name, where.site);
    run_.streams.new_epoch(operation);
    host_clock_.launched(operation, name, where.site);
    stream_race_.launched();
    never_written_.launched(run_.epoch(), shape);
    run_.last_pc = nullptr;
    is_launch_traced_ = false;
    unused_shared_.launch_begins();
    run_.launched = {};
    run_.arguments.clear();
    constexpr std::size_t kMaxLaunches = 64;
    if (run_.launches.size() >= kMaxLaunches) run_.launches.erase(run_.launches.begin());
    run_.launches.emplace_back(run_.epoch(), shape);
    ++run_.launch_count;
    seen_generation_ = 0;
    known_arrays_.fill({});
    stop_running();
    run_.begin_launch();
}

void RaceDetector::argument(const emulator::Launch& launch,
                            const emulator::LaunchArgument& argument) {
    if (argument.kind == emulator::LaunchArgument::Kind::function) {
        host_function_.check_argument(launch, argument.position, argument.pointer);
    } else {
        run_.arguments.push_back(argument);
    }
}

void RaceDetector::launch_ends(cudaError_t result) {
    settle();
    if (trace_ != nullptr) trace_->flush();
    bounds_.report_indexes();
    if (result != cudaSuccess &&
        emulator::last_report().reason == emulator::Reason::illegal_address) {
        bounds_.kernel_is_ended();
    }
    stop_running();
    if (result == cudaSuccess) lost_copy_.launch_ends();
    run_.streams.new_epoch(0);
    if (result != cudaSuccess) {
        emulator_reports_.add();
    } else {
        unused_shared_.launch_ends();
    }
}

std::vector<Finding> RaceDetector::take(std::string* notice) {
    settle();
    bounds_.report_indexes();
    emulator_reports_.add();
    for (Finding& each : never_written_.take_notes()) report_never_written(std::move(each));
    uninitialised_.pitches.add_notes();
    host_clock_.add_notes();
    findings_.make_notes([](const Finding& each) {
        return each.fault == Fault::backend && emulator::was_handled(each.title);
    });
    emulator_reports_.forget();
    if (notice != nullptr && run_.device.unwatched() != 0) {
        *notice =
            "Only 48 MB of the device memory are checked for races and uninitialised reads; with a "
            "smaller n, all of it is.";
    }
    if (notice != nullptr && (is_trace_cut_ || (trace_ != nullptr && trace_->is_cut()))) {
        *notice += fmt::format(
            "{}The trace holds the first {} thread steps; with fewer items it holds the whole run.",
            notice->empty() ? "" : "\n", Trace::kMaxSteps);
    }
    data_race_.choose_cures(paths_);
    stream_race_.join();
    paths_.clear();
    return findings_.take();
}

void RaceDetector::block_begins(std::uint64_t index) {
    settle();  // another block may wait for a lock
    if (trace_ != nullptr && !is_launch_traced_) {
        const emulator::LaunchShape& shape = emulator::this_worker->launch->shape;
        trace_->launch(emulator::this_worker->launch->kernel_name(),
                       {shape.grid.x, shape.grid.y, shape.grid.z},
                       {shape.block.x, shape.block.y, shape.block.z});
        is_launch_traced_ = true;
    }
    run_.begin_block(index);
    known_arrays_.fill({});  // what is created here may lie where another block's was
    stop_running();
}

void RaceDetector::block_ends(std::uint64_t index) {
    settle();
    stop_running();
    run_.end_block(index);
}

void RaceDetector::barrier_passed(std::uint64_t index, emulator::Site site) {
    const emulator::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = run_.find(index);
    if (block == nullptr) return;
    if (is_tracing()) trace_meeting("barrier", *block, 0, 0, site);
    earlier_round_.interval_ends(*block);
    run_.order.barrier(block->clock);
    renew_now();
    block->barrier = site;
}

void RaceDetector::warp_passed(std::uint64_t index, int warp, unsigned lanes, emulator::Site site) {
    const emulator::ToolIsBusy busy;
    settle();
    WatchedBlock* const block = run_.find(index);
    if (block == nullptr) return;
    const int first = warp * 32 + __builtin_ctz(lanes);
    const bool is_sync = block->block->threads[first].kind == emulator::Collective::syncwarp;
    if (is_tracing() && is_sync) trace_meeting("syncwarp", *block, warp, lanes, site);
    if (is_tracing() && !is_sync) trace_exchange(*block, warp, lanes, site);
    if (is_sync) {
        run_.order.sync_warp(block->clock, warp, lanes);
    } else {
        run_.order.exchange(block->clock, warp, lanes);
    }
    renew_now();
}

void RaceDetector::async_barrier_made(std::uint64_t index, const void* barrier) {
    const emulator::ToolIsBusy busy;
    use_async_barrier(barrier, Kind::write);
    data_race_.barrier_made(*static_cast<const emulator::AsyncBarrier*>(barrier));
    if (WatchedBlock* const block = run_.find(index))
        run_.order.make_meeting(block->clock, barrier);
}

/// A thread makes a cuda::barrier, or arrives at it: it must not do so before the barrier is made.
void RaceDetector::use_async_barrier(const void* barrier, Kind kind) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(barrier);
    const emulator::Worker& worker = *emulator::this_worker;
    if (worker.thread != run_.current) switch_to(worker);
    if (run_.block == nullptr || run_.last_pc == nullptr) return;
    run_.block->find_arena();
    if (!run_.is_shared(at)) return;
    Traits traits{};
    traits.is_atomic = kind != Kind::write;
    constexpr std::uint32_t kBytes = sizeof(emulator::AsyncBarrier);
    access(worker, site_id(run_.last_pc, kind, kBytes, traits), at, kBytes, kind);
    stored_ = {};
}

void RaceDetector::async_barrier_reached(std::uint64_t index, int thread, const void* barrier,
                                         bool completes) {
    const emulator::ToolIsBusy busy;
    settle();
    use_async_barrier(barrier, Kind::atomic);
    data_race_.barrier_reached(barrier, thread);
    if (WatchedBlock* const block = run_.find(index)) {
        run_.order.arrive(block->clock, thread, barrier, completes);
        if (completes) {
            block->copies.complete(barrier,
                                   [&](const AsyncCopy& each) { run_.land(*block, each); });
        }
    }
    renew_now();
}

void RaceDetector::async_barrier_passed(std::uint64_t index, int thread, const void* barrier) {
    const emulator::ToolIsBusy busy;
    settle();
    if (WatchedBlock* const block = run_.find(index))
        run_.order.pass(block->clock, thread, barrier);
}

// ---- Asynchronous copies into shared memory ----------------------------------------------------

void RaceDetector::async_copy_begins(std::uint64_t index, int thread, const void* to,
                                     std::size_t bytes, const void* barrier) {
    const emulator::ToolIsBusy busy;
    run_.begin_copy(index, thread, to, bytes, barrier);
}

void RaceDetector::async_copies_committed(std::uint64_t index, int thread) {
    const emulator::ToolIsBusy busy;
    if (WatchedBlock* const block = run_.find(index)) block->copies.commit(thread);
}

void RaceDetector::async_copies_waited_for(std::uint64_t index, int thread, std::size_t prior,
                                           emulator::Site site) {
    const emulator::ToolIsBusy busy;
    run_.wait_for_copies(index, thread, prior, site);
}

// ---- Copies and streams ---------------------------------------------------------------------

void RaceDetector::copied(const emulator::Copy& copy) {
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(copy.to);
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(copy.from);
    if (copy.bytes == 0) {
        run_.device.look();
        if (const Watched* const empty = run_.device.find(to, 0)) {
            uninitialised_.note_copy(copy, *empty);
        }
        return;
    }
    run_.device.written(to, copy.bytes);
    const std::uint32_t operation = run_.streams.begin(copy.stream, copy.call, copy.site);
    const std::uint32_t epoch = run_.streams.new_epoch(operation);
    if (copy.from != nullptr) {
        const bool is_of_symbol = std::strncmp(copy.call, "cudaMemcpyFromSymbol", 20) == 0;
        const auto is_device = [&](std::uintptr_t address) {
            const Watched* const found = run_.device.find(address, 0);
            return found != nullptr && !found->holds_values;
        };
        host_function_.objects.copied(to, from, copy.bytes,
                                      run_.device.find(to, 0) != nullptr && !is_of_symbol,
                                      is_of_symbol || is_device(from), epoch);
    }
    const bool is_from_host = copy.from != nullptr && run_.device.find(from, 0) == nullptr &&
                              run_.device.find(to, 0) != nullptr;
    if (copy.from == nullptr || is_from_host) {
        constexpr std::size_t kMaxFills = 64;
        if (run_.fills.size() >= kMaxFills) run_.fills.erase(run_.fills.begin());
        run_.fills.push_back({to, copy.bytes, copy.site, copy.call, is_from_host});
    }
    Watched* const target = run_.device.find(to, 0);
    if (target != nullptr && copy.from == nullptr) bytes_set_.filled(copy, *target);
    if (target != nullptr) uninitialised_.note_copy(copy, *target);
    Watched* const source = copy.from != nullptr ? run_.device.find(from, 0) : nullptr;
    if (source != nullptr && target == nullptr) uninitialised_.note_early_copy(copy, *source);
    // No copy into the host's pageable memory is asynchronous.
    const bool host_waits = !copy.is_async || target == nullptr;
    if (run_.streams.has_streams() || !host_waits) {
        const auto by = [&](const char* does) { return call(copy.call, does, copy.site); };
        stream_race_.check(by("writes it"), target, to, copy.bytes, epoch, true);
        stream_race_.check(by("reads it"), source, from, copy.bytes, epoch, false);
    }
    uninitialised_.pitches.copied(copy, source, target);
    copy_size_.copied(copy, source, target);
    set_in_part_.copied(copy, target);
    never_written_.copied(copy, source, target);
    if (host_waits) run_.streams.finish(operation);
    run_.streams.new_epoch(0);
}

void RaceDetector::renewed(const void* begin, std::size_t bytes) {
    settle();
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(begin);
    run_.device.renew(at, bytes);
    heap_.given(at, bytes);
}

/// To other operations, freeing memory is like writing it.
void RaceDetector::released(const void* begin, const void* instruction) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(begin);
    const std::size_t bytes = heap_.bytes_at(at);
    if (bytes == 0) return;
    Traits traits{};
    traits.is_free = 1;
    const SiteId id = site_id(instruction, Kind::write_some, 0, traits);
    const emulator::Worker& worker = *emulator::this_worker;
    access(worker, id, at, static_cast<std::uint32_t>(bytes), Kind::write_some);
    stored_ = {};
    constexpr int kFreed = 0xdd;  // so that it visibly changes what others have written
    std::memset(reinterpret_cast<void*>(at), kFreed, bytes);
    heap_.freed(at, id);
}

/// Memory exists for operations after the call in its stream.
void RaceDetector::memory_given(const emulator::StreamMemory& memory) {
    run_.device.look();
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.begin);
    const std::uint32_t epoch =
        run_.streams.new_epoch(run_.streams.begin(memory.stream, memory.call, memory.site));
    stream_race_.check(call(memory.call, "allocates it", memory.site), run_.device.find(begin, 0),
                       begin, memory.bytes, epoch, true);
    run_.streams.new_epoch(0);
}

/// To all others, that is like writing it.
void RaceDetector::memory_freed(const emulator::StreamMemory& memory) {
    run_.device.look();
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.begin);
    Watched* const found = run_.device.find(begin, 0);
    if (found == nullptr || found->cells == nullptr) return;
    if (!memory.is_of_host) {
        const std::uint32_t epoch =
            run_.streams.new_epoch(run_.streams.begin(memory.stream, memory.call, memory.site));
        stream_race_.check(call(memory.call, "frees it", memory.site), found, begin, memory.bytes,
                           epoch, true);
        run_.streams.new_epoch(0);
        return;
    }
    const bool is_unregistered = std::strcmp(memory.call, "cudaHostUnregister") == 0;
    Party mine = call(memory.call, is_unregistered ? "gives it back" : "frees it", memory.site);
    mine.is_call = false;  // of the host, which does not wait
    // Of the host's memory: drivers wait, which CUDA does not promise.
    const bool is_note = is_unregistered || std::strcmp(memory.call, "cudaFreeHost") == 0;
    stream_race_.check_free(mine, *found, memory.bytes, is_note);
}

void RaceDetector::stream_call(emulator::StreamCall call, const void* stream, const void* event) {
    run_.streams.call(call, stream, event);
    stream_race_.called(call);
}

bool RaceDetector::is_unaware_of_calls(emulator::Site call) {
    constexpr int kMaxLines = 100;
    // To the end of the block that the call is in.
    for (int line = call.line, depth = 0; call.file != nullptr && line < call.line + kMaxLines;
         ++line) {
        const std::string code = code_line(call.file, line);
        for (const char* const word : {"while", "wait", "load", "lock", "join", "Synch", "Query"}) {
            if (code.find(word) != std::string::npos) return false;
        }
        for (const char each : code) {
            depth += each == '{' ? 1 : each == '}' ? -1 : 0;
            if (depth < 0) return true;
        }
    }
    return false;
}

emulator::Site RaceDetector::place(std::uintptr_t instruction) {
    // Text that a report points to is kept until the program ends.
    static auto* const files = new std::set<std::string>;
    Place found = user_place(instruction);
    if (!found.is_known() && run_.last_pc != nullptr) {
        found = user_place(reinterpret_cast<std::uintptr_t>(run_.last_pc) - 1);
    }
    if (!found.is_known()) return {};
    return {files->insert(found.file).first->c_str(), found.line};
}

// ---- The running thread ---------------------------------------------------------------------

void RaceDetector::switch_to(const emulator::Worker& worker) {
    settle();
    if (bounds_.has_indexes()) bounds_.report_indexes();
    run_.worker = &worker;
    run_.current = worker.thread;
    run_.number = worker.thread->number;
    WatchedBlock* const block = run_.find(worker.block->index);
    if (block != run_.block) known_arrays_.fill({});
    run_.block = block;
    run_.thread = run_.block != nullptr
                      ? &run_.block->threads[static_cast<std::size_t>(run_.number)]
                      : nullptr;
    is_block_one_warp_ = run_.block == nullptr || run_.block->threads.size() <= 32;
    look_whether_in_kernel();
    if (run_.block == nullptr) return;
    const std::uint64_t generation = worker.launch->grid_generation;
    if (run_.block->grid_generation != generation) {
        // All blocks have passed a barrier of the grid.
        run_.block->grid_generation = generation;
        run_.order.barrier(run_.block->clock);
        if (seen_generation_ != generation) run_.streams.continue_epoch();
        seen_generation_ = generation;
    }
    renew_now();
}

void RaceDetector::enter(const emulator::Worker& worker, SiteId entry, std::uintptr_t caller) {
    if (worker.thread != run_.current) switch_to(worker);
    if (run_.thread == nullptr) return;
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
    run_.thread->calls.push_back({caller, last.is_kernel});
    run_.thread->kernels += last.is_kernel;
    look_whether_in_kernel();
}

void RaceDetector::leave(const emulator::Worker& worker) {
    if (worker.thread != run_.current) switch_to(worker);
    if (run_.thread == nullptr || run_.thread->calls.empty()) return;
    if (bounds_.has_indexes()) bounds_.report_indexes();
    run_.thread->kernels -= run_.thread->calls.back().is_kernel;
    run_.thread->calls.pop_back();
    look_whether_in_kernel();
}

void RaceDetector::fence(const emulator::Worker& worker, FenceScope scope) {
    if (worker.thread != run_.current) switch_to(worker);
    if (scope == FenceScope::system) {
        run_.order.system_fence();
    } else if (run_.block != nullptr) {
        run_.order.fence(run_.block->clock, run_.number, scope == FenceScope::block);
    }
    renew_now();
}

void RaceDetector::block(const emulator::Worker& worker, const void* pc) {
    if (worker.thread != run_.current) switch_to(worker);
#if defined(__clang__)
    // Its check of an index ends a basic block: the next block contains the access.
    if (!index_is_new_ && bounds_.has_indexes()) bounds_.report_indexes();
    index_is_new_ = false;
#else
    if (bounds_.has_indexes()) bounds_.report_indexes();
#endif
    run_.last_pc = pc;
    if (is_block_one_warp_ || paths_.knows(pc, run_.number / 32)) return;
    paths_.pass(pc, run_.number / 32);
}

void RaceDetector::index(const emulator::Worker& worker, emulator::Site where, const char* array,
                         std::int64_t value) {
    if (worker.thread != run_.current) switch_to(worker);
    if (run_.block == nullptr || run_.thread->kernels == 0) return;
    bounds_.index(where, array, value);
    index_is_new_ = true;
}

// ---- The trace ------------------------------------------------------------------------------

void RaceDetector::trace_access(const Access& access, Space space) {
    const AccessSite& at = site(access.site);
    const Place place = user_place((at.caller != 0 ? at.caller : at.pc) - 1);
    const Target what = target(run_, access.address, access.bytes);
    const Operation operation = at.kind == Kind::atomic ? Operation::atomic
                                : access.is_store       ? Operation::store
                                                        : Operation::load;
    trace_->access({run_.block->index, run_.number, run_.block->clock.interval - 1,
                    file_name(place.file), place.line, operation, space, what.name, what.bytes,
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
