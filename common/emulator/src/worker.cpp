#include "worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "diagnose.hpp"
#include "emulator/builtins.hpp"
#include "faults.hpp"
#include "observer.hpp"
#include "settings_internal.hpp"
#include "state.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

__thread emulator::BuiltinIndex threadIdx = {0, 0, 0};
__thread emulator::BuiltinIndex blockIdx = {0, 0, 0};
__thread emulator::BuiltinExtent blockDim = {1, 1, 1};
__thread emulator::BuiltinExtent gridDim = {1, 1, 1};

namespace emulator {

__thread Worker* this_worker = nullptr;

namespace {

/// Long compared with a poll of all resident blocks, and short compared with what a block computes
/// in between.
constexpr std::chrono::microseconds kPollPause{200};

/// Switching between fibers restores the floating-point status word, which takes far longer when
/// its sticky exception flags differ. With all of them set, they never do.
class StickyFlags {
  public:
#if defined(__SSE__)
    StickyFlags() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x3f); }
    ~StickyFlags() { _mm_setcsr(saved_); }

  private:
    unsigned saved_;
#endif
};

}  // namespace

bool in_kernel() { return this_worker != nullptr && this_worker->thread != nullptr; }

void require_host(const char* call, Site site) {
    if (!in_kernel()) return;
    const std::string kernel = this_worker->launch->kernel_name();
    this_worker->fail({cudaErrorNotSupported, Reason::unsupported,
                       fmt::format("kernel {} calls {}(){}, which only the host has.", kernel, call,
                                   site.file != nullptr ? " at " + words(site) : std::string()),
                       kernel, file_of(site), site.line});
}

void refuse_host(const char* function) {
    std::fprintf(stderr, "%s: called on the host; only a kernel can call it\n", function);
    std::abort();
}

/// The body of every fiber. It never returns.
void run_fiber(boost::context::detail::transfer_t caller) {
    *this_worker->leaving_ = caller.fctx;
    this_worker->run_threads();
}

void Worker::run_threads() {
    for (;;) {
        launch->call.run(launch->call.object);
        Thread& ended = *thread;
        ended.state = State::returned;
        ++block->returned;
        Warp& warp = block->warp_of(ended);
        warp.returned |= 1u << (ended.number % 32);
        progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        returned.store(returned.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (--warp.runnable == 0 && warp.converging != 0) converge(*this, warp);
        Fiber* const own = fiber;
        Thread* const following = block->next();
        if (following != nullptr && following->fiber == nullptr) {
            following->fiber = own;
            set_current(*following);
            continue;
        }
        free_fibers_.push_back(own);
        if (following != nullptr) {
            set_current(*following);
            go_to(own->context, following->fiber->context);
        } else {
            thread = nullptr;
            go_to(own->context, main_);
        }
    }
}

// A fiber may continue in a host thread other than the one it began in: the next launch may come
// from there. If the address of a __thread variable is computed, the compiler keeps it from one
// turn of run_threads() to the next; in a separate function it cannot. (On x86-64 g++ never
// computes it, but uses a segment register. clang 16 does.)
#if !defined(__x86_64__) || defined(__clang__)
__attribute__((noinline))
#endif
void Worker::set_current(Thread& next) {
    thread = &next;
    fiber = next.fiber;
    const uint3 at = block->indices[next.number];
    new (&threadIdx) BuiltinIndex{at.x, at.y, at.z};
    switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Fiber* Worker::take_fiber() {
    if (free_fibers_.empty()) {
        try {
            fibers_.push_back(std::make_unique<Fiber>(fibers_.size(), &run_fiber));
        } catch (const std::bad_alloc&) {
            if (thread == nullptr) throw;
            fail(no_stack_report(*launch));  // an exception could not leave this fiber
        }
        return fibers_.back().get();
    }
    Fiber* const free = free_fibers_.back();
    free_fibers_.pop_back();
    return free;
}

void Worker::leave() {
    Thread& self = *thread;
    Warp& warp = block->warp_of(self);
    // A thread that is ready has passed what it waited for, and already counts as runnable.
    if (self.state != State::ready && --warp.runnable == 0 && warp.converging != 0) {
        converge(*this, warp);
    }
    Fiber* const own = fiber;
    Thread* const following = block->next();
    if (following == &self) return;
    if (following == nullptr) {
        thread = nullptr;
        go_to(own->context, main_);
        return;
    }
    if (following->fiber == nullptr) following->fiber = take_fiber();
    set_current(*following);
    go_to(own->context, following->fiber->context);
}

bool Worker::is_shared_memory(std::uintptr_t address) const {
    const auto owns = [&](const std::unique_ptr<Block>& each) { return each->owns(address); };
    return std::any_of(residents_.begin(), residents_.end(), owns) ||
           std::any_of(free_blocks_.begin(), free_blocks_.end(), owns);
}

bool Worker::is_stack(std::uintptr_t address) const {
    return std::any_of(fibers_.begin(), fibers_.end(),
                       [&](const std::unique_ptr<Fiber>& each) { return each->holds(address); });
}

BlockStatus Worker::run(Block& its_block) {
    block = &its_block;
    new (&blockIdx) BuiltinIndex{its_block.position.x, its_block.position.y, its_block.position.z};
    its_block.recall();
    Thread* const first = its_block.next();
    if (first != nullptr) {
        if (first->fiber == nullptr) first->fiber = take_fiber();
        set_current(*first);
        go_to(main_, first->fiber->context);
    }
    return its_block.status();
}

void Worker::abandon() {
    main_ = nullptr;
    thread = nullptr;
    for (const std::unique_ptr<Fiber>& each : fibers_) {
        if (std::find(free_fibers_.begin(), free_fibers_.end(), each.get()) == free_fibers_.end()) {
            each->renew();
            free_fibers_.push_back(each.get());
        }
    }
    for (std::unique_ptr<Block>& each : residents_) free_blocks_.push_back(std::move(each));
    residents_.clear();
}

void Worker::finish(Block& ended) const {
    std::ptrdiff_t offset = 0;
    if (const SharedRegion* const region = ended.damaged_region(&offset)) {
        launch->fail(shared_damage_report(*launch, ended, *region, offset));
    }
    ++current_counts.blocks;
    current_counts.threads += ended.threads.size();
    std::size_t most = launch->static_bytes.load(std::memory_order_relaxed);
    while (most < ended.static_bytes &&
           !launch->static_bytes.compare_exchange_weak(most, ended.static_bytes)) {
    }
    launch->block_ends();
    if (Observer* const observer = current_observer()) observer->block_ends(ended.index);
}

bool Worker::step_residents(Launch& its_launch) {
    bool moved = false, polled = false;
    for (std::size_t i = 0; i < residents_.size() && !its_launch.failed;) {
        Block& resident = *residents_[i];
        if (resident.at_grid != 0 &&
            resident.at_grid == static_cast<int>(resident.threads.size())) {
            if (its_launch.grid_generation.load() == resident.grid_generation) {
                ++i;
                continue;
            }
            resident.release_all();
        }
        const std::uint64_t before = progress.load(std::memory_order_relaxed);
        const BlockStatus status = run(resident);
        const bool polls = status == BlockStatus::spinning;
        polled = polled || polls;
        moved = moved || (!polls && progress.load(std::memory_order_relaxed) != before);
        if (its_launch.failed) return true;
        if (status == BlockStatus::finished) {
            finish(resident);
            free_blocks_.push_back(std::move(residents_[i]));
            residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(i));
            moved = true;
            continue;
        }
        if (status == BlockStatus::stuck) {
            its_launch.fail(stuck_report(its_launch, resident));
            return true;
        }
        if (status == BlockStatus::at_grid) {
            resident.grid_generation = its_launch.arrive_at_grid(resident);
            moved = true;
        }
        ++i;
    }
    only_polls_ = polled && !moved;
    return moved || polled;
}

void Worker::serve(Launch& its_launch) {
    while (!its_launch.failed) {
        const bool moved = step_residents(its_launch);
        if (its_launch.failed) return;
        // Another block begins only when those here have ended or can only wait.
        if (static_cast<int>(residents_.size()) < its_launch.resident_blocks) {
            const std::uint64_t index = its_launch.next_block.fetch_add(1);
            if (index < its_launch.blocks) {
                if (free_blocks_.empty()) free_blocks_.push_back(std::make_unique<Block>());
                residents_.push_back(std::move(free_blocks_.back()));
                free_blocks_.pop_back();
                residents_.back()->begin(its_launch, its_launch.block_at(index));
                if (Observer* const observer = current_observer()) {
                    observer->block_begins(residents_.back()->index);
                }
                continue;
            }
        }
        if (residents_.empty()) return;
        if (!moved) its_launch.wait_for_grid(residents_.front()->grid_generation);
        // They may be waiting for another worker. Each poll is counted, and without a pause their
        // number would depend on the machine's speed. The watchdog, which ends a launch that gets
        // nowhere, must find the worker in a CUDA thread.
        if (only_polls_ && its_launch.blocks > 1 && settings().workers > 1 && !keeps_giving_way) {
            std::this_thread::sleep_for(kPollPause);
        }
    }
}

void Worker::work(Launch& its_launch) {
    Worker* const outer = this_worker;
    this_worker = this;
    launch = &its_launch;
    current_counts = Counts{};
    keeps_giving_way = none_returns = false;
    new (&blockDim)
        BuiltinExtent{its_launch.shape.block.x, its_launch.shape.block.y, its_launch.shape.block.z};
    new (&gridDim)
        BuiltinExtent{its_launch.shape.grid.x, its_launch.shape.grid.y, its_launch.shape.grid.z};
    {
        [[maybe_unused]] const StickyFlags flags;
        const AlternateStack signal_stack;
        is_alone = its_launch.blocks == 1 && its_launch.threads == 1;
        in_kernel = true;
        serve_until_fault(its_launch);
        in_kernel = false;
    }
    if (its_launch.failed) abandon();
    launch = nullptr;
    block = nullptr;
    this_worker = outer;
    its_launch.add(current_counts);
}

}  // namespace emulator
