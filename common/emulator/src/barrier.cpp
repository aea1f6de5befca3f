#include "emulator/barrier.hpp"

#include <cstdio>
#include <string_view>

#include "emulator/cooperative_groups.hpp"

#include "diagnose.hpp"
#include "kernel_heap.hpp"
#include "left_out.hpp"
#include "observer.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

void note_site(Block& block, int already_here, Site site) {
    if (already_here == 0) {
        block.barrier_site = site;
    } else if (!same_site(block.barrier_site, site)) {
        block.sites_differ = true;
    }
}

/// Whether the settings leave this barrier out; says so when it is first reached.
bool is_left_out(Site site) {
    const LeftOut& away = left_out_barrier();
    if (site.line != away.line) return false;
    const std::string_view file = site.file;
    const std::size_t size = away.file.size();
    if (file.size() < size || file.substr(file.size() - size) != away.file) return false;
    if (file.size() > size && file[file.size() - size - 1] != '/') return false;
    if (!away.is_reached.exchange(true)) {
        std::fprintf(
            stderr,
            "Emulator: the barrier of %s:%d is left out (TUTORIAL_CPU_WITHOUT_BARRIER=%s:%d).\n",
            away.file.c_str(), away.line, away.file.c_str(), away.line);
    }
    return true;
}

}  // namespace

BarrierCount block_barrier(bool predicate, Site site) {
    if (is_left_out(site)) return {predicate, 1};
    Worker& worker = kernel_worker("__syncthreads");
    Block& block = *worker.block;
    Thread& self = *worker.thread;
    const int count = static_cast<int>(block.threads.size());
    note_site(block, block.at_barrier, site);
    self.site = site;
    self.state = State::at_barrier;
    block.predicates += predicate;
    if (++block.at_barrier == count && !block.sites_differ) {
        // The last to arrive also queues up: which thread continues first depends only on the
        // order.
        --block.warp_of(self).runnable;
        block.release_all();
        ++current_counts.block_barriers;
        current_counts.barrier_arrivals += static_cast<std::uint64_t>(count);
        worker.progress.store(worker.progress.load(std::memory_order_relaxed) + 1,
                              std::memory_order_relaxed);
        kernel_heap_passes_barrier(block.index);
        if (Observer* const observer = current_observer()) {
            observer->barrier_passed(block.index, site);
        }
    }
    worker.leave();
    return {block.predicate_result, count};
}

void grid_barrier(Site site) {
    Worker& worker = kernel_worker("grid.sync()");
    if (!worker.launch->shape.cooperative) worker.fail(not_cooperative_report(worker, site));
    Block& block = *worker.block;
    note_site(block, block.at_grid, site);
    ++block.at_grid;
    worker.thread->site = site;
    worker.thread->state = State::at_grid;
    worker.leave();
}

bool launch_is_cooperative() {
    return kernel_worker("grid_group::is_valid").launch->shape.cooperative;
}

void give_way(unsigned, Site site) {
    Worker& worker = kernel_worker("__nanosleep");
    Thread& self = *worker.thread;
    self.site = site;
    self.state = State::gave_way;
    worker.times_given_way.store(worker.times_given_way.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_relaxed);
    worker.block->make_ready(self);
    worker.leave();
}

void note_wait(Site site) {
    static thread_local Site last;
    static thread_local const Thread* last_thread = nullptr;
    if (this_worker == nullptr || this_worker->thread == nullptr) return;  // on the host
    const Thread* const self = this_worker->thread;
    const bool goes_on = last_thread == self && last.line == site.line && last.file == site.file;
    last = site;
    last_thread = self;
    if (goes_on) give_way(0, site);
}

void trap(Site site) {
    Worker& worker = kernel_worker("__trap");
    worker.fail(trap_report(worker, site));
}

}  // namespace emulator
