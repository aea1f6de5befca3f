// A worker runs blocks, one CUDA thread at a time.
#pragma once

#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "block.hpp"
#include "emulator/counters.hpp"
#include "emulator/report.hpp"
#include "fiber.hpp"
#include "launch.hpp"

namespace emulator {

/// Everything that belongs to one std::thread that runs blocks.
class Worker {
  public:
    /// Takes blocks of the launch and runs them until there are none left or the launch fails.
    void work(Launch& launch);

    /// The running thread waits: its state is set, and the next one runs.
    void leave();

    /// Ends the launch with this report and does not return. Only from a CUDA thread.
    [[noreturn]] void fail(Report report);

    /// The same from a signal handler, with the signal's meaning.
    [[noreturn]] void escape(int signal, std::uintptr_t address, std::uintptr_t instruction);

    /// Whether the address lies in a block's shared memory, or on the stack of a CUDA thread, for
    /// blocks and threads that run or ran here.
    bool is_shared_memory(std::uintptr_t address) const;
    bool is_stack(std::uintptr_t address) const;

    /// The block that began last.
    const Block& newest_block() const { return *residents_.back(); }

    Launch* launch = nullptr;
    Block* block = nullptr;    ///< whose threads run
    Thread* thread = nullptr;  ///< that runs; null in between
    Fiber* fiber = nullptr;    ///< that it runs on

    /// For the watchdog: incremented when another thread gets to run, and when anything makes
    /// progress.
    std::atomic<std::uint64_t> switches{0}, progress{0};
    /// How many threads have returned, and whether none did for so long that the launch ends.
    std::atomic<std::uint64_t> returned{0};
    std::atomic<bool> none_returns{false};
    /// How often a thread yielded, and whether any did in the period that the watchdog complains
    /// about.
    std::atomic<std::uint64_t> times_given_way{0};
    std::atomic<bool> keeps_giving_way{false};
    std::atomic<bool> in_kernel{false};
    /// The launch has only one thread, which can wait for no other.
    /// The watchdog asks where the running thread is, and takes the answer.
    std::atomic<bool> is_asked_where{false};
    std::atomic<std::uintptr_t> where{0};
    std::atomic<bool> is_alone{false};

  private:
    friend void run_fiber(boost::context::detail::transfer_t caller);

    BlockStatus run(Block& block);
    void run_threads();
    void go_to(Context& own, Context& target) {
        leaving_ = &own;
        const Context caller = jump(std::exchange(target, nullptr));
        *leaving_ = caller;
    }
    void set_current(Thread& next);
    Fiber* take_fiber();
    void finish(Block& ended) const;
    void abandon();
    void serve(Launch& launch);
    void serve_until_fault(Launch& launch);
    bool step_residents(Launch& launch);

    bool only_polls_ = false;  ///< each resident block that ran in the last step is now polling

    sigjmp_buf way_out_;
    int signal_ = 0;
    std::uintptr_t signal_address_ = 0, signal_instruction_ = 0;
    Context main_ = nullptr;
    Context* leaving_ = nullptr;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber*> free_fibers_;
    std::vector<std::unique_ptr<Block>> residents_, free_blocks_;
};

/// The calling std::thread's worker; null if it has none.
extern __thread Worker* this_worker;

/// Ends the program with one line: this function was called on the host.
[[noreturn]] void refuse_host(const char* function);

/// The worker, which must be running a CUDA thread.
inline Worker& kernel_worker(const char* function) {
    Worker* const worker = this_worker;
    if (worker == nullptr || worker->thread == nullptr) refuse_host(function);
    return *worker;
}

/// Lets lanes that wait in __activemask continue: no other lane of their warp can run.
void converge(Worker& worker, Warp& warp);

}  // namespace emulator
