#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <tuple>

#include "emulator/for_observers.hpp"
#include "lines.hpp"
#include "program_end.hpp"

namespace lab {
namespace {

std::atomic<std::uint64_t> serials{0};

/// The session that this_recorder belongs to.
__thread std::uint64_t recorder_serial = 0;

Operation operation_of(Kind kind) {
    switch (kind) {
        case Kind::write:
        case Kind::write_some:
            return Operation::store;
        case Kind::atomic:
            return Operation::atomic;
        default:
            return Operation::load;
    }
}

/// Adds up the places that are on one line.
std::vector<Row> rows_of(const Counters& counters) {
    std::map<std::tuple<std::string, int, Operation, Space>, Traffic> by_line;
    for (int space = 0; space < kSpaces; ++space) {
        const std::vector<Traffic>& all = counters.by_site[space];
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].requests == 0) continue;
            const AccessSite& at = site(static_cast<SiteId>(i));
            const Place place = user_place((at.caller != 0 ? at.caller : at.pc) - 1);
            by_line[{place.file, place.line, operation_of(at.kind), static_cast<Space>(space)}] +=
                all[i];
        }
    }
    std::vector<Row> rows;
    for (const auto& [key, traffic] : by_line) {
        const auto& [file, line, operation, space] = key;
        rows.push_back({file, line, source_line(file, line), operation, space, traffic});
    }
    return rows;
}

Extents extents(const dim3& v) { return {v.x, v.y, v.z}; }

void add_shape(std::vector<Shape>& shapes, const Shape& more) {
    const auto key = [](const Shape& s) {
        return std::tuple(s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y, s.block.z,
                          s.dynamic_bytes);
    };
    for (Shape& known : shapes) {
        if (key(known) == key(more)) {
            known.launches += more.launches;
            return;
        }
    }
    shapes.push_back(more);
}

}  // namespace

Session::Session() : serial_(++serials) {}

Session::~Session() { stop(); }

void Session::start() { emulator::set_observer(this); }

void Session::stop() { emulator::set_observer(nullptr); }

Recorder& Session::recorder() {
    if (recorder_serial != serial_) {
        const std::lock_guard<std::mutex> lock(mutex_);
        recorders_.push_back(std::make_unique<Recorder>(flow_));
        this_recorder = recorders_.back().get();
        recorder_serial = serial_;
        this_recorder->launch_begins();
    }
    return *this_recorder;
}

void Session::launch_begins(const emulator::KernelSite&, const emulator::LaunchShape& shape) {
    end_if_asked();
    const std::lock_guard<std::mutex> lock(mutex_);
    is_watching = true;
    for (const auto& each : recorders_) each->launch_begins();
    running_ = std::make_unique<Kernel>();
    KernelReport& report = running_->report;
    report.shapes = {{extents(shape.grid), extents(shape.block), shape.dynamic_bytes, 1}};
}

void Session::block_begins(std::uint64_t) {
    Recorder& mine = recorder();
    const emulator::Worker& worker = *emulator::this_worker;
    // The worker does not run this block yet; it is the last one that became resident.
    mine.block_begins(worker.newest_block());
    if (const std::lock_guard<std::mutex> lock(mutex_); running_->report.name.empty()) {
        running_->report.name = worker.launch->kernel_name();
    }
}

void Session::block_ends(std::uint64_t block) { recorder().block_ends(block); }

void Session::barrier_passed(std::uint64_t block, emulator::Site) { recorder().barrier(block); }

void Session::renewed(const void* begin, std::size_t bytes) {
    const emulator::Worker& worker = *emulator::this_worker;
    recorder().spaces.give(reinterpret_cast<std::uintptr_t>(begin), bytes,
                           {worker.block->index, worker.thread->number});
}

void Session::launch_ends(cudaError_t) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_watching = false;
    if (running_ == nullptr) return;
    for (const auto& each : recorders_) running_->counters.add(each->counters);
    for (const auto& each : recorders_) each->counters = {};
    running_->counters.close_queues();
    const emulator::Counts counts = emulator::last_launch_counts();
    auto at = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& known) {
        return known->report.name == running_->report.name;
    });
    if (at == kernels_.end()) {
        kernels_.push_back(std::make_unique<Kernel>());
        at = kernels_.end() - 1;
        (*at)->report.name = running_->report.name;
    }
    KernelReport& report = (*at)->report;
    add_shape(report.shapes, running_->report.shapes.front());
    Moved before[kMoves];
    std::copy_n((*at)->counters.moved, kMoves, before);
    (*at)->counters.add(running_->counters);
    for (int move = 0; move < kMoves; ++move) {  // another thread may have the most in each launch
        (*at)->counters.moved[move].most = before[move].most + running_->counters.moved[move].most;
    }
    const std::uint64_t block_threads = counts.blocks != 0 ? counts.threads / counts.blocks : 0;
    report.launches += 1;
    report.blocks += counts.blocks;
    report.threads += counts.threads;
    report.warps += counts.blocks * ((block_threads + 31) / 32);
    report.barriers += counts.block_barriers;
    report.grid_barriers += counts.grid_barriers;
    report.exchanges += counts.shuffles + counts.votes;
    report.most_exchanges = std::max(report.most_exchanges, counts.most_exchanges);
    report.shuffle_values += counts.shuffle_values;
    report.warp_barriers += counts.warp_barriers;
    report.atomics += counts.atomics;
    running_ = nullptr;
}

bool Session::is_stale() const {
    return std::any_of(recorders_.begin(), recorders_.end(),
                       [](const auto& each) { return each->lockstep.is_stale(); });
}

void Session::forget() {
    kernels_.clear();
    for (const auto& each : recorders_) each->lockstep.forget_stale();
}

const char* Session::running() const {
    return running_ != nullptr ? running_->report.name.c_str() : nullptr;
}

Report Session::report() const {
    Report report;
    for (const auto& kernel : kernels_) {
        KernelReport made = kernel->report;
        made.rows = rows_of(kernel->counters);
        made.steps = kernel->counters.steps;
        made.lane_steps = kernel->counters.lane_steps;
        made.longest_thread = kernel->counters.longest;
        made.left_in_shared = kernel->counters.left_in_shared;
        made.states = kernel->counters.states;
        std::copy_n(kernel->counters.moved, kMoves, made.moved);
        if (kernel->counters.lost_blocks != 0) {
            made.notice = fmt::format(
                "{} of {} blocks are not counted: between two barriers their threads do more than "
                "fits into memory. With a smaller n, or a larger TUTORIAL_LAB_MEMORY_MB, all are "
                "counted.",
                kernel->counters.lost_blocks, made.blocks);
        }
        report.kernels.push_back(std::move(made));
    }
    return report;
}

}  // namespace lab
