#include "emulator/async_barrier.hpp"

#include "emulator/share_copy.hpp"

#include "diagnose.hpp"
#include "observer.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

constexpr unsigned kPhases = 1u << 24;

/// The running thread's worker; ends the launch if the barrier was never initialised. Fresh shared
/// memory is all ones.
Worker& worker_at(const AsyncBarrier& barrier, Site site) {
    Worker& worker = kernel_worker("cuda::barrier");
    if (barrier.expected == AsyncBarrier::kMaxThreads && barrier.phase == kPhases - 1) {
        worker.fail(async_barrier_report(
            worker, site, "it was not initialised: one thread calls init(), then __syncthreads()"));
    }
    return worker;
}

/// Orders the thread after what all threads did before they arrived.
void pass(const Worker& worker, const AsyncBarrier& barrier) {
    if (Observer* const observer = current_observer()) {
        observer->async_barrier_passed(worker.block->index, worker.thread->number, &barrier);
    }
}

void wait_here(Worker& worker, const AsyncBarrier& barrier, Site site) {
    Thread& self = *worker.thread;
    self.site = site;
    self.state = State::at_async_barrier;
    self.value = reinterpret_cast<std::uintptr_t>(&barrier);
    worker.leave();
}

}  // namespace

void check_async_copy(const void* to, const void* from, std::size_t bytes, std::size_t zeros,
                      Site site) {
    Worker& worker = kernel_worker("__pipeline_memcpy_async");
    const auto number = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
    const bool has_size = bytes == 4 || bytes == 8 || bytes == 16;
    if (has_size && zeros <= bytes && (number(to) | number(from)) % bytes == 0 &&
        worker.is_shared_memory(number(to))) {
        return;
    }
    worker.fail(async_copy_report(worker, site, number(to), number(from), bytes, zeros));
}

void async_copy_begins(const void* to, std::size_t bytes, const AsyncBarrier* barrier) {
    const Worker& worker = kernel_worker("an asynchronous copy");
    if (Observer* const observer = current_observer()) {
        observer->async_copy_begins(worker.block->index, worker.thread->number, to, bytes, barrier);
    }
}

void async_copies_committed() {
    const Worker& worker = kernel_worker("the commit of asynchronous copies");
    if (Observer* const observer = current_observer()) {
        observer->async_copies_committed(worker.block->index, worker.thread->number);
    }
}

void async_copies_waited_for(std::size_t prior, Site site) {
    const Worker& worker = kernel_worker("the wait for asynchronous copies");
    if (Observer* const observer = current_observer()) {
        observer->async_copies_waited_for(worker.block->index, worker.thread->number, prior, site);
    }
}

void init_barrier(AsyncBarrier& barrier, unsigned expected, Site site) {
    Worker& worker = kernel_worker("init of a cuda::barrier");
    if (expected == 0 || expected >= AsyncBarrier::kMaxThreads) {
        worker.fail(async_barrier_report(worker, site, "it cannot expect that many arrivals"));
    }
    barrier.expected = barrier.missing = expected;
    barrier.phase = 0;
    if (Observer* const observer = current_observer()) {
        observer->async_barrier_made(worker.block->index, &barrier);
    }
}

unsigned arrive(AsyncBarrier& barrier, unsigned count, bool drops, Site site) {
    Worker& worker = worker_at(barrier, site);
    const unsigned phase = barrier.phase;
    if (count > barrier.missing) {
        worker.fail(async_barrier_report(
            worker, site, "more threads arrive in one phase than init() was told to expect"));
    }
    if (drops) barrier.expected -= count;
    barrier.missing -= count;
    const bool completes = barrier.missing == 0;
    if (Observer* const observer = current_observer()) {
        observer->async_barrier_reached(worker.block->index, worker.thread->number, &barrier,
                                        completes);
    }
    if (!completes) return phase;
    barrier.missing = barrier.expected;
    barrier.phase = (phase + 1) % kPhases;
    worker.progress.store(worker.progress.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
    worker.block->release_async(&barrier);
    return phase;
}

bool is_complete(const AsyncBarrier& barrier, unsigned phase, Site site) {
    Worker& worker = worker_at(barrier, site);
    if (barrier.phase == phase) return false;
    pass(worker, barrier);
    return true;
}

bool is_parity_complete(const AsyncBarrier& barrier, bool parity, Site site) {
    Worker& worker = worker_at(barrier, site);
    if ((barrier.phase % 2 != 0) == parity) return false;
    pass(worker, barrier);
    return true;
}

void wait_for_phase(const AsyncBarrier& barrier, unsigned phase, Site site) {
    Worker& worker = worker_at(barrier, site);
    while (barrier.phase == phase) wait_here(worker, barrier, site);
    pass(worker, barrier);
}

void wait_for_parity(const AsyncBarrier& barrier, bool parity, Site site) {
    Worker& worker = worker_at(barrier, site);
    while ((barrier.phase % 2 != 0) == parity) wait_here(worker, barrier, site);
    pass(worker, barrier);
}

}  // namespace emulator
